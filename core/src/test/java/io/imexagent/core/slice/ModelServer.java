package io.imexagent.core.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.slice.SlicePlanner.SliceAction;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An API server's slices of one node, with what the server insists on: versions and the immutable pool name. */
final class ModelServer {

    private final Map<String, ObservedSlice> slices = new TreeMap<>();
    private int versions;

    ModelServer(List<ObservedSlice> slices) {
        slices.forEach(slice -> this.slices.put(slice.name(), slice));
    }

    List<ObservedSlice> slices() {
        return List.copyOf(slices.values());
    }

    void apply(List<SliceAction> actions) {
        actions.forEach(this::apply);
    }

    private void apply(SliceAction action) {
        switch (action) {
            case SliceAction.CreateSlice create -> put(freeName(create.index()), create.content());
            case SliceAction.ReplaceSlice replace -> {
                assertThat(slices).containsEntry(replace.observed().name(), replace.observed());
                assertThat(replace.content().pool())
                        .isEqualTo(replace.observed().content().pool());
                put(replace.observed().name(), replace.content());
            }
            case SliceAction.DeleteSlice delete -> {
                assertThat(slices).containsEntry(delete.observed().name(), delete.observed());
                slices.remove(delete.observed().name());
            }
        }
    }

    private String freeName(int index) {
        int number = 0;
        while (slices.containsKey("%05x-new-%d".formatted(index, number))) {
            number++;
        }
        return "%05x-new-%d".formatted(index, number);
    }

    private void put(String name, PoolSlice content) {
        assertThat(content.devices()).hasSizeBetween(1, Device.MOST_PER_SLICE);
        slices.put(name, new ObservedSlice(name, "version-" + versions++, true, content));
    }
}
