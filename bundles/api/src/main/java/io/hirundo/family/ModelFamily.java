package io.hirundo.family;

import io.hirundo.model.Architecture;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An architecture, and the formats in which others store its models. Register it as a service of both types:
 *
 * <pre>
 * &#64;Component(service = {StrategyFactory.class, ModelFamily.class})
 * &#64;HirundoStrategy(kind = "architecture", name = "acme")
 * </pre>
 *
 * Thread-safe and without state: formats of models keep families for as long as a folder is open.
 *
 * @param <O> the options of its architecture
 */
@ConsumerType
public interface ModelFamily<O extends Record> extends StrategyFactory<O, Architecture> {
    /** The name of the architecture in a configuration, as in {@link io.hirundo.strategy.HirundoStrategy#name}. */
    String name();

    /** The formats of its models. Several may belong to one model format, if folders of that format have different tensor names. */
    List<FamilyFormat<O>> formats();
}
