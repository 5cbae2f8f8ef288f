package io.hirundo.control.internal.command;

import io.hirundo.train.RunControl;
import io.hirundo.train.RunSetting;
import io.hirundo.train.RunSetting.Alternative;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Completes {@code swap} and {@code set} from the running configuration and the installed strategies. */
record SettingCompletion(RunControl control) {
    /** {@code swap KIND NAME {OPTION: }. */
    List<String> swap(List<String> words) {
        return switch (words.size()) {
            case 1 -> kinds();
            case 2 -> alternatives(words.getFirst()).map(Alternative::value).toList();
            case 3 ->
                alternatives(words.getFirst())
                        .filter(strategy -> strategy.value().equals(words.get(1)))
                        .flatMap(strategy -> options(strategy, words.getLast()))
                        .toList();
            default -> List.of();
        };
    }

    private List<String> kinds() {
        List<String> kinds = new ArrayList<>();
        for (RunSetting setting : control.settings()) {
            if (control.strategies().stream().anyMatch(used -> used.path().equals(setting.path()))) {
                kinds.add(SettingPaths.shortest(setting.path(), control.strategies()));
            }
        }
        return kinds;
    }

    /** Alternatives for the setting that a word names. */
    private Stream<Alternative> alternatives(String word) {
        String path = SettingPaths.of(word, control.strategies());
        return control.settings().stream()
                .filter(setting -> setting.path().equals(path))
                .flatMap(setting -> setting.alternatives().stream());
    }

    /** Option names that can follow a partly typed object. */
    private static Stream<String> options(Alternative strategy, String typed) {
        int name = Math.max(typed.lastIndexOf('{'), typed.lastIndexOf(',')) + 1;
        String head = typed.isEmpty() ? "{" : typed.substring(0, name) + (typed.startsWith(" ", name) ? " " : "");
        return strategy.options().stream()
                .filter(option -> !typed.contains(option + ":")
                        || option.equals(typed.substring(name).strip()))
                .map(option -> head + option + ": ");
    }

    /** {@code set PATH=VALUE}. */
    List<String> set(List<String> words) {
        String last = words.getLast();
        int equals = last.indexOf('=');
        if (equals < 0) {
            return control.settings().stream()
                    .map(setting -> setting.path() + "=")
                    .toList();
        }
        String path = last.substring(0, equals);
        List<String> values =
                new ArrayList<>(alternatives(path).map(Alternative::value).toList());
        if (values.isEmpty()) {
            // A number: offer the current value for editing.
            control.settings().stream()
                    .filter(setting -> setting.path().equals(path))
                    .map(RunSetting::value)
                    .forEach(values::add);
        }
        return values.stream().map(value -> path + "=" + value).toList();
    }
}
