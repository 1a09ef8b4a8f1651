package io.imexagent.fabric.child;

import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.CudaResult;
import java.time.Duration;

/**
 * A child's answer to a request. After {@link ChildTimedOut}, and after {@link ChildUnusable} if {@link
 * FabricChild#alive} is false, a new child has to be launched.
 */
public sealed interface ChildAnswer<T> {

    /** Returns the answer as a clause for people; "done" for a success. */
    String words();

    /** Makes the next request if this one succeeded; otherwise returns this failure. */
    default <R> ChildAnswer<R> then(NextRequest<T, R> next) throws InterruptedException {
        return switch (this) {
            case ChildSucceeded<T>(T value) -> next.of(value);
            case CallRefused<T>(CudaCall call, CudaResult result) -> new CallRefused<>(call, result);
            case ChildUnusable<T>(String words) -> new ChildUnusable<>(words);
            case ChildTimedOut<T>(String step, Duration deadline) -> new ChildTimedOut<>(step, deadline);
        };
    }

    /** The next request, which needs the value of the one before. */
    @FunctionalInterface
    interface NextRequest<T, R> {
        ChildAnswer<R> of(T value) throws InterruptedException;
    }

    /** The request succeeded, with this value. */
    record ChildSucceeded<T>(T value) implements ChildAnswer<T> {
        @Override
        public String words() {
            return "done";
        }
    }

    /** This call into libcuda returned a result other than 0. */
    record CallRefused<T>(CudaCall call, CudaResult result) implements ChildAnswer<T> {
        @Override
        public String words() {
            return call.symbol() + " answered " + result
                    + result.remedy().map(remedy -> ": " + remedy).orElse("");
        }
    }

    /**
     * The request cannot be done; the reason is a clause: no library, no such GPU, an invalid message, or no process.
     */
    record ChildUnusable<T>(String words) implements ChildAnswer<T> {}

    /**
     * The step missed its deadline, and the child was killed. The step is a symbol of libcuda, or the child's start.
     */
    record ChildTimedOut<T>(String step, Duration deadline) implements ChildAnswer<T> {
        @Override
        public String words() {
            return step + " did not end within " + deadline.toSeconds() + " s, and its process was killed";
        }
    }
}
