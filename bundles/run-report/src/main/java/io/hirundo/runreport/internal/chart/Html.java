package io.hirundo.runreport.internal.chart;

/** Text inside of HTML and SVG. */
public final class Html {
    private Html() {}

    /** For elements and for attributes in double quotes. */
    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
