package io.hirundo.lib.plugin;

import io.hirundo.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParser;
import javax.xml.parsers.SAXParserFactory;
import org.osgi.framework.Bundle;
import org.xml.sax.Attributes;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.ext.DefaultHandler2;

/**
 * Checks the component descriptions that a bundle's header names. The component runtime skips unreadable descriptions with at
 * most a log line.
 */
final class ComponentDescriptions {
    private static final String HEADER = "Service-Component";
    private static final String NAMESPACE = "http://www.osgi.org/xmlns/scr/";
    private static final String LEXICAL_HANDLER = "http://xml.org/sax/properties/lexical-handler";

    /** Below the parser's own limit, whose message is unclear; a description needs three levels. */
    private static final int MAX_DEPTH = 50;

    private final Bundle bundle;

    ComponentDescriptions(Bundle bundle) {
        this.bundle = bundle;
    }

    /**
     * Checks that each description is readable and its class exists; the exception names the first that fails.
     *
     * @return the class of each component
     */
    List<String> check() throws UnusablePluginException {
        String header = bundle.getHeaders("").get(HEADER);
        var classes = new ArrayList<String>();
        if (header == null || header.isBlank()) {
            return classes;
        }
        // A pattern may match a file that the header also names.
        var paths = new HashSet<String>();
        for (String part : header.split(",")) {
            for (URL description : find(part.strip())) {
                if (paths.add(path(description))) {
                    for (String implementation : implementations(description)) {
                        load(description, implementation);
                        classes.add(implementation);
                    }
                }
            }
        }
        return classes;
    }

    /** A pattern may match nothing; a file must exist. */
    private List<URL> find(String path) throws UnusablePluginException {
        int name = path.lastIndexOf('/') + 1;
        Enumeration<URL> found =
                bundle.findEntries(name == 0 ? "/" : path.substring(0, name), path.substring(name), false);
        if (found != null) {
            return Collections.list(found);
        }
        if (path.indexOf('*', name) >= 0) {
            return List.of();
        }
        throw new UnusablePluginException("its header " + HEADER + " names " + path + ", which is not in it");
    }

    private static List<String> implementations(URL description) throws UnusablePluginException {
        var reader = new Reader();
        try (InputStream in = description.openStream()) {
            SAXParserFactory parsers = SAXParserFactory.newInstance();
            parsers.setNamespaceAware(true);
            parsers.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            SAXParser parser = parsers.newSAXParser();
            parser.setProperty(LEXICAL_HANDLER, reader);
            parser.parse(in, reader);
        } catch (SAXParseException damaged) {
            throw unreadable(description, "line " + damaged.getLineNumber() + ": " + Reason.of(damaged), damaged);
        } catch (SAXException | IOException damaged) {
            throw unreadable(description, Reason.of(damaged), damaged);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException(e);
        }
        if (reader.implementations.isEmpty()) {
            throw unreadable(description, "it describes no component with an implementation class", null);
        }
        if (reader.implementations.size() < reader.components) {
            throw unreadable(
                    description,
                    "only " + reader.implementations.size() + " of its " + reader.components
                            + " components have an implementation class",
                    null);
        }
        return reader.implementations;
    }

    private static UnusablePluginException unreadable(URL description, String why, Exception cause) {
        return new UnusablePluginException(
                "its component description " + path(description) + " cannot be read, " + why, cause);
    }

    private void load(URL description, String implementation) throws UnusablePluginException {
        try {
            bundle.loadClass(implementation);
        } catch (ClassNotFoundException e) {
            throw new UnusablePluginException(
                    "its component description " + path(description) + " names the class " + implementation
                            + ", which is not in it",
                    e);
        } catch (LinkageError e) {
            throw new UnusablePluginException(
                    "the class " + implementation + " that its component description " + path(description)
                            + " names cannot be loaded: " + Reason.of(e),
                    e);
        }
    }

    private static String path(URL description) {
        return description.getPath().substring(1);
    }

    /** Collects each component's implementation class. If a file has several components, all have the namespace. */
    private static final class Reader extends DefaultHandler2 {
        private final List<String> implementations = new ArrayList<>();
        private int components;
        private int depth;
        private boolean inComponent;

        @Override
        public void startElement(String uri, String localName, String qualifiedName, Attributes attributes)
                throws SAXException {
            depth++;
            if (depth > MAX_DEPTH) {
                throw new SAXException("its elements are nested more than " + MAX_DEPTH + " deep");
            }
            if (localName.equals("component") && (uri.startsWith(NAMESPACE) || uri.isEmpty() && depth == 1)) {
                components++;
                inComponent = true;
            } else if (inComponent && localName.equals("implementation") && attributes.getValue("class") != null) {
                implementations.add(attributes.getValue("class").strip());
                inComponent = false;
            }
        }

        @Override
        public void endElement(String uri, String localName, String qualifiedName) {
            depth--;
        }

        /** Declared entities could expand without bound, or load external files. */
        @Override
        public void startDTD(String name, String publicId, String systemId) throws SAXException {
            throw new SAXException("it has a document type, which no description needs");
        }

        @Override
        public void error(SAXParseException e) throws SAXException {
            throw e;
        }
    }
}
