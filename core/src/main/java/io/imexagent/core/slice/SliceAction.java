package io.imexagent.core.slice;

/** One call that brings the API server nearer to what the node has. */
public sealed interface SliceAction {

    /** A slice with this content is missing at this position in its pool, from 0, which leads its name. */
    record Create(int index, PoolSlice content) implements SliceAction {}

    /** The slice as it was observed has to say something else. */
    record Replace(ObservedSlice observed, PoolSlice content) implements SliceAction {}

    /** The slice as it was observed is one too many. */
    record Delete(ObservedSlice observed) implements SliceAction {}
}
