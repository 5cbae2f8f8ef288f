package io.hirundo.dataloader.internal.megatron;

import java.util.regex.Pattern;

/**
 * How the sequences of a dataset are divided: of N sequences a part from share a to share b has those from {@code
 * round(a*N)} to {@code round(b*N)}, halves to even. There are three parts; the third, for tests, is never read.
 *
 * @param training end of the first part, as a share of all
 * @param validation end of the second part, as a share of all
 */
public record DataSplit(double training, double validation) {
    private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d*)?|\\.\\d+");

    /** Sequences from {@code first} to before {@code end}. */
    public record Part(int first, int end) {
        int sequences() {
            return end - first;
        }
    }

    /**
     * Reads a split such as {@code 990,10,0}; what is missing at the end is 0.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static DataSplit parse(String text) {
        String[] words = text.split(",", -1);
        if (words.length > 3) {
            throw rejected(text);
        }
        double[] shares = new double[3];
        for (int i = 0; i < words.length; i++) {
            if (!NUMBER.matcher(words[i].strip()).matches()) {
                throw rejected(text);
            }
            shares[i] = Double.parseDouble(words[i].strip());
        }
        double sum = Weights.sum(shares);
        if (sum == 0) {
            throw rejected(text);
        }
        double training = shares[0] / sum;
        return new DataSplit(training, training + shares[1] / sum);
    }

    private static IllegalArgumentException rejected(String text) {
        return new IllegalArgumentException(
                "split: \"" + text + "\" is no split; allowed: up to three shares for training, validation and test, "
                        + "such as \"990,10,0\", not all 0");
    }

    public Part trainingOf(int sequences) {
        return new Part(0, border(training, sequences));
    }

    public Part validationOf(int sequences) {
        return new Part(border(training, sequences), border(validation, sequences));
    }

    private static int border(double share, int sequences) {
        return (int) Math.rint(share * sequences);
    }
}
