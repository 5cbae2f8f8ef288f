package io.hirundo.paralleldp.internal.layout;

import io.hirundo.model.parameter.ParameterSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * The parameters of a rank's blocks. One that several blocks name is one parameter.
 *
 * @param specs each once, in the order of declaration
 * @param ofBlock for each block the indices of its parameters
 */
public record BlockParameters(List<ParameterSpec> specs, List<List<Integer>> ofBlock) {
    public BlockParameters {
        specs = List.copyOf(specs);
        ofBlock = List.copyOf(ofBlock);
    }

    public static BlockParameters of(List<List<ParameterSpec>> blocks) {
        var indices = new LinkedHashMap<String, Integer>();
        var specs = new ArrayList<ParameterSpec>();
        var ofBlock = new ArrayList<List<Integer>>();
        for (List<ParameterSpec> block : blocks) {
            var ofThis = new ArrayList<Integer>();
            for (ParameterSpec spec : block) {
                int index = indices.computeIfAbsent(spec.name(), name -> specs.size());
                if (index == specs.size()) {
                    specs.add(spec);
                } else if (!specs.get(index).parts().equals(spec.parts())) {
                    throw new IllegalArgumentException("parameter " + spec.name() + " is declared with two shapes");
                }
                ofThis.add(index);
            }
            ofBlock.add(List.copyOf(ofThis));
        }
        return new BlockParameters(specs, ofBlock);
    }
}
