package io.hirundo.paralleldp.internal.weights;

import java.util.List;

/**
 * Layouts, by index, whose weights are in memory at the same time.
 *
 * @param here gathered, or being gathered
 * @param onTheirWay those of them whose gather has not ended
 */
public record GatheredTogether(List<Integer> here, List<Integer> onTheirWay) {
  public GatheredTogether {
    here = List.copyOf(here);
    onTheirWay = List.copyOf(onTheirWay);
  }
}
