// NVRTC without CUDA: compiles kernels with g++ against emulation.h into shared objects, which the stub driver loads as cubins.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <regex.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

struct Program {
  std::string folder, name, log, all;
  std::vector<std::string> options;
  std::string cubin;
};

static std::string content(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

static int compilations;
static std::string lastOptions;
EXPORT int stub_compilations() { return compilations; }
EXPORT const char *stub_options() { return lastOptions.c_str(); }

EXPORT int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0, 0; }
EXPORT const char *nvrtcGetErrorString(int result) { return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }
EXPORT int nvrtcCreateProgram(void **result, const char *source, const char *name, int headers, const char **headerSources,
                              const char **headerNames) {
  char folder[] = "/tmp/hirundo-nvrtc-XXXXXX";
  if (!mkdtemp(folder)) {
    return 1;
  }
  auto program = new Program{folder, name, "", source, {}, ""};
  std::ofstream(program->folder + "/" + name) << source;
  for (int i = 0; i < headers; i++) {
    std::ofstream(program->folder + "/" + headerNames[i]) << headerSources[i];
    program->all += std::string("\n") + headerNames[i] + "\n" + headerSources[i];
  }
  return *result = program, 0;
}
// As the real one says it: what it opens by name must be open already or where the loader looks, and a lambda with a parameter of any
// type is the host's where nothing is said.
static std::string refusal(const std::string &options, const std::string &folder, const std::string &file) {
  if (!dlopen("libnvrtc-builtins.so.13.0", RTLD_NOW)) {
    return "nvrtc: error: failed to open libnvrtc-builtins.so.13.0.";
  }
  bool ofDevice = options.find("--device-as-default-execution-space\n") != std::string::npos;
  // POSIX, because g++ takes three seconds for the expressions of C++.
  regex_t lambdas;
  regcomp(&lambdas, "\\[&?\\]\\(([^)]*[^)[:alnum:]_])?auto ", REG_EXTENDED | REG_NOSUB);
  bool lambda = regexec(&lambdas, content(folder + file).c_str(), 0, nullptr, 0) == 0;
  regfree(&lambdas);
  return lambda && !ofDevice ? file + ": error: host functions are not allowed in JIT mode." : "";
}
// A file next to this library, by a program's name and content (FNV-1a). The library is built again when the emulation changes.
static std::string kept(const Program &program) {
  unsigned long long hash = 14695981039346656037ull;
  for (unsigned char byte : program.all) {
    hash = (hash ^ byte) * 1099511628211ull;
  }
  Dl_info own;
  dladdr((void *)kept, &own);
  std::string library = own.dli_fname;
  return library.substr(0, library.rfind('/') + 1) + program.name + "-" + std::to_string(hash);
}
// Compiles a program once: two processes share out the tests, and some tests have a kernel cache of their own.
static int compile(Program &program) {
  std::string at = program.folder + "/", file = kept(program);
  int lock = open((file + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  flock(lock, LOCK_EX);
  int status = 0;
  if (access(file.c_str(), R_OK) != 0) {
    std::string command = "g++ -std=c++17 -O1 -w -Wno-psabi -fPIC -shared -ffp-contract=off -U_FORTIFY_SOURCE -include " EMULATION
                          " -x c++ " + at + program.name + " -o " + at + "cubin 2> " + at + "log && cp " + at + "cubin " + file + ".part && mv " + file + ".part " + file;
    status = system(command.c_str());
    program.log = content(at + "log");
  }
  program.cubin = status == 0 ? content(file) : "";
  close(lock);
  return status == 0 ? 0 : 6;
}
EXPORT int nvrtcCompileProgram(void *it, int count, const char **options) {
  auto program = (Program *)it;
  compilations++;
  lastOptions.clear();
  for (int i = 0; i < count; i++) {
    lastOptions += std::string(options[i]) + "\n";
  }
  std::string at = program->folder + "/";
  program->log = refusal(lastOptions, at, program->name);
  if (!program->log.empty()) {
    return 6;
  }
  return compile(*program);
}
EXPORT int nvrtcGetProgramLogSize(void *it, size_t *bytes) { return *bytes = ((Program *)it)->log.size() + 1, 0; }
EXPORT int nvrtcGetProgramLog(void *it, char *log) { return strcpy(log, ((Program *)it)->log.c_str()), 0; }
EXPORT int nvrtcGetCUBINSize(void *it, size_t *bytes) { return *bytes = ((Program *)it)->cubin.size(), 0; }
EXPORT int nvrtcGetCUBIN(void *it, char *cubin) {
  auto &bytes = ((Program *)it)->cubin;
  return memcpy(cubin, bytes.data(), bytes.size()), 0;
}
EXPORT int nvrtcDestroyProgram(void **it) {
  auto program = (Program *)*it;
  int status = system(("rm -r " + program->folder).c_str());
  delete program;
  return *it = nullptr, status;
}
