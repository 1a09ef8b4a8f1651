package io.imexagent.core.slice;

/** One call that brings the API server nearer to what the node has. */
public sealed interface SliceAction {

    /**
     * A slice is missing.
     *
     * @param index its position in the pool, from 0, which leads its name
     * @param content what it says
     */
    record Create(int index, PoolSlice content) implements SliceAction {}

    /**
     * A slice says something else.
     *
     * @param observed the slice as it is
     * @param content what it has to say
     */
    record Replace(ObservedSlice observed, PoolSlice content) implements SliceAction {}

    /**
     * A slice is one too many.
     *
     * @param observed the slice as it is
     */
    record Delete(ObservedSlice observed) implements SliceAction {}
}
