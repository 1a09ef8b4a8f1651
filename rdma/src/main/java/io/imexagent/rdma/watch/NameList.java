package io.imexagent.rdma.watch;

import java.util.List;

/**
 * Several names in one value.
 *
 * @param names the names, in their order; never empty
 */
public record NameList(List<String> names) {

    /** Copies the list in. */
    public NameList {
        names = List.copyOf(names);
    }

    @Override
    public String toString() {
        return String.join(",", names);
    }
}
