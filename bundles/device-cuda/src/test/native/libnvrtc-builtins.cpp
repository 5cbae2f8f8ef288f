// The library next to the real compiler, which opens it by name for the first compilation.
extern "C" __attribute__((visibility("default"))) int builtins() { return 0; }
