package io.hirundo.tokenizerhf.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Lets the kernel kill this process at once when any of its threads, in Java or native code, asks for a socket: a seccomp
 * filter over the system call {@code socket}. ({@code socketpair}, which the JDK's file channels use, reaches nobody outside.)
 * It cannot be taken back. Linux on x86_64 and aarch64.
 */
final class SocketGuard {
    private static final int PR_SET_NO_NEW_PRIVS = 38;
    private static final long SECCOMP_SET_MODE_FILTER = 1;
    private static final long SECCOMP_FILTER_FLAG_TSYNC = 1;
    private static final int LOAD_WORD = 0x20;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int RETURN = 0x06;
    private static final int FIRST_ARGUMENT = 16;
    private static final int AF_UNIX = 1;
    private static final int KILL_PROCESS = 0x80000000;
    private static final int ALLOW = 0x7fff0000;

    private SocketGuard() {}

    /** Numbers of the system calls on a kind of machine. */
    private record Calls(int socket, long seccomp) {
        static Calls ofThisMachine() {
            return switch (System.getProperty("os.name") + " " + System.getProperty("os.arch")) {
                case "Linux amd64" -> new Calls(41, 317);
                case "Linux aarch64" -> new Calls(198, 277);
                default -> throw new UnsupportedOperationException("no seccomp here");
            };
        }
    }

    /** @throws UnsupportedOperationException where the kernel does not let us */
    static void install() throws Throwable {
        Calls calls = Calls.ofThisMachine();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment filter = filter(arena, new int[][] {
                {LOAD_WORD, 0, 0, 0},
                {JUMP_IF_EQUAL, 0, 3, calls.socket},
                {LOAD_WORD, 0, 0, FIRST_ARGUMENT},
                // A JVM that starts asks the C library for its user, and that asks a name service by a socket which
                // leads nowhere else.
                {JUMP_IF_EQUAL, 1, 0, AF_UNIX},
                {RETURN, 0, 0, KILL_PROCESS},
                {RETURN, 0, 0, ALLOW}
            });
            Linker linker = Linker.nativeLinker();
            MethodHandle prctl = linker.downcallHandle(
                    linker.defaultLookup().find("prctl").orElseThrow(),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.firstVariadicArg(1));
            MethodHandle syscall = linker.downcallHandle(
                    linker.defaultLookup().find("syscall").orElseThrow(),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(1));
            boolean done = (int) prctl.invokeExact(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0
                    && (long) syscall.invokeExact(
                                    calls.seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter)
                            == 0;
            if (!done) {
                throw new UnsupportedOperationException("the kernel takes no filter");
            }
        }
    }

    /** A {@code sock_fprog} of {@code sock_filter}s: code, jump if true, jump if false, value. */
    private static MemorySegment filter(Arena arena, int[][] program) {
        MemorySegment instructions = arena.allocate(8L * program.length, 8);
        for (int i = 0; i < program.length; i++) {
            instructions.set(ValueLayout.JAVA_SHORT, 8L * i, (short) program[i][0]);
            instructions.set(ValueLayout.JAVA_BYTE, 8L * i + 2, (byte) program[i][1]);
            instructions.set(ValueLayout.JAVA_BYTE, 8L * i + 3, (byte) program[i][2]);
            instructions.set(ValueLayout.JAVA_INT, 8L * i + 4, program[i][3]);
        }
        MemorySegment header = arena.allocate(16, 8);
        header.set(ValueLayout.JAVA_SHORT, 0, (short) program.length);
        header.set(ValueLayout.ADDRESS, 8, instructions);
        return header;
    }
}
