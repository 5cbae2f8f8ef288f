package io.hirundo.itests.faults;

import io.hirundo.itests.damage.Breakage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The cases, collected reader by reader. */
final class Zoo {
    private final List<Specimen> specimens = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();

    List<Specimen> specimens() {
        return List.copyOf(specimens);
    }

    /** A reader of one file: what reads it, and how it rejects. */
    Reader reader(String name, Path original, String file, int exitCode, String... command) {
        return new Reader(
                name,
                original,
                file,
                Set.of(exitCode),
                List.of(Path.of(file).getFileName().toString()),
                false,
                List.of(command),
                null);
    }

    /** A parser of texts that come from no file. */
    Reader parser(String name, Path anyFolder, int exitCode, FuzzedMethods.Run parser) {
        return new Reader(name, anyFolder, "input", Set.of(exitCode), List.of(), false, List.of(), parser);
    }

    /** Adds cases of one file that one command reads. */
    final class Reader {
        private final String name;
        private final Path original;
        private final String file;
        private final Set<Integer> exitCodes;
        private final List<String> words;
        private final boolean ownProcess;
        private final List<String> command;
        private final FuzzedMethods.Run parser;

        private Reader(
                String name,
                Path original,
                String file,
                Set<Integer> exitCodes,
                List<String> words,
                boolean ownProcess,
                List<String> command,
                FuzzedMethods.Run parser) {
            this.name = name;
            this.original = original;
            this.file = file;
            this.exitCodes = exitCodes;
            this.words = words;
            this.ownProcess = ownProcess;
            this.command = command;
            this.parser = parser;
        }

        /** The next cases end with one of these codes. */
        Reader exits(Integer... codes) {
            return new Reader(name, original, file, Set.of(codes), words, ownProcess, command, parser);
        }

        /** The line of the next cases has these words. */
        Reader says(String... wanted) {
            return new Reader(name, original, file, exitCodes, List.of(wanted), ownProcess, command, parser);
        }

        /** The next cases may be read as good: then nothing may be printed on standard error. */
        Reader orGood() {
            var codes = new TreeSet<>(exitCodes);
            codes.add(0);
            return new Reader(name, original, file, Set.copyOf(codes), words, ownProcess, command, parser);
        }

        /** The next cases run in a process of their own. */
        Reader alone() {
            return new Reader(name, original, file, exitCodes, words, true, command, parser);
        }

        /** The next cases are read with more arguments. */
        Reader with(String... more) {
            var longer = new ArrayList<>(command);
            longer.addAll(List.of(more));
            return new Reader(name, original, file, exitCodes, words, ownProcess, longer, parser);
        }

        Reader add(String fault, Breakage breakage) {
            var specimen =
                    new Specimen(name, fault, original, file, breakage, exitCodes, words, ownProcess, command, parser);
            if (!names.add(specimen.name())) {
                throw new IllegalArgumentException("twice: " + specimen.name());
            }
            specimens.add(specimen);
            return this;
        }

        Reader addAll(Map<String, Breakage> faults) {
            faults.forEach(this::add);
            return this;
        }
    }
}
