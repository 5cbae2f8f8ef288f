package io.hirundo.runreport.internal.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Round numbers along an axis, after Heckbert, "Nice numbers for graph labels", Graphics Gems 1990. */
final class Ticks {
    private Ticks() {}

    /** Multiples of 1, 2 or 5 times a power of ten, from {@code low} to {@code high}, about {@code count} of them. */
    static List<Double> linear(double low, double high, int count) {
        double step = niceStep((high - low) / count);
        var ticks = new ArrayList<Double>();
        for (double k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) {
            ticks.add(k * step);
        }
        return ticks;
    }

    /** Powers of ten from {@code low} to {@code high}; with 2 and 5 times them where there are few. */
    static List<Double> logarithmic(double low, double high) {
        boolean few = Math.log10(high / low) < 2;
        var ticks = new ArrayList<Double>();
        for (int power = (int) Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
            for (double factor : few ? new double[] {1, 2, 5} : new double[] {1}) {
                double tick = factor * Math.pow(10, power);
                if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) {
                    ticks.add(tick);
                }
            }
        }
        return ticks;
    }

    private static double niceStep(double raw) {
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        double factor = raw / power;
        return power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
    }

    /** Short: {@code 2k}, {@code 0.5}, {@code 3e-4}. */
    static String label(double value) {
        double magnitude = Math.abs(value);
        if (magnitude < 1e-12) {
            return "0";
        }
        if (magnitude < 1e-3) {
            return String.format(Locale.ROOT, "%.1e", value).replace(".0e", "e").replaceFirst("e([-+])0", "e$1");
        }
        if (magnitude >= 1e9) {
            return scaled(value / 1e9) + "G";
        }
        if (magnitude >= 1e6) {
            return scaled(value / 1e6) + "M";
        }
        return magnitude >= 1e4 ? scaled(value / 1e3) + "k" : scaled(value);
    }

    private static String scaled(double value) {
        String text = String.format(Locale.ROOT, "%.4f", value);
        return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
    }
}
