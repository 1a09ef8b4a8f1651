package io.imexagent.fabric.child;

import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.CudaResult;
import java.time.Duration;

/** What a child answers to a request. After the last two it is dead, and a new one has to be launched. */
public sealed interface ChildAnswer<T> {

    /** The answer in words, as a clause; of one that was done, that it was. */
    String words();

    /** What follows where it was done; otherwise the same answer. */
    default <R> ChildAnswer<R> then(NextRequest<T, R> next) throws InterruptedException {
        return switch (this) {
            case ChildSucceeded<T>(T value) -> next.of(value);
            case CallRefused<T>(CudaCall call, CudaResult result) -> new CallRefused<>(call, result);
            case ChildUnusable<T>(String words) -> new ChildUnusable<>(words);
            case ChildTimedOut<T>(String step, Duration deadline) -> new ChildTimedOut<>(step, deadline);
        };
    }

    /** What is requested next, with what came of a request. */
    @FunctionalInterface
    interface NextRequest<T, R> {
        ChildAnswer<R> of(T value) throws InterruptedException;
    }

    /** Done, with what came of it. */
    record ChildSucceeded<T>(T value) implements ChildAnswer<T> {
        @Override
        public String words() {
            return "done";
        }
    }

    /** libcuda answered something other than 0 to this call. */
    record CallRefused<T>(CudaCall call, CudaResult result) implements ChildAnswer<T> {
        @Override
        public String words() {
            return call.symbol() + " answered " + result
                    + result.remedy().map(remedy -> ": " + remedy).orElse("");
        }
    }

    /** The child cannot do it at all, for a reason that is a clause: no library, no such GPU, no line that is understood. */
    record ChildUnusable<T>(String words) implements ChildAnswer<T> {}

    /** The step did not end in time; the child was killed. The step is a symbol of libcuda, or the child's start. */
    record ChildTimedOut<T>(String step, Duration deadline) implements ChildAnswer<T> {
        @Override
        public String words() {
            return step + " did not end within " + deadline.toSeconds() + " s, and its process was killed";
        }
    }
}
