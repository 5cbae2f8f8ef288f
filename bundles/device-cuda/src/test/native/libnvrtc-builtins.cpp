// What the real compiler has beside it, and opens by its name when it is first asked to compile.
extern "C" __attribute__((visibility("default"))) int builtins() { return 0; }
