package io.imexagent.imex.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Calls that are on their way: they come in any order, late, twice or never, and so do their answers. */
final class ModelNetwork {

    private final SplittableRandom random;
    private final List<Call<?>> calls = new ArrayList<>();
    private final List<Runnable> answers = new ArrayList<>();
    private boolean faulty = true;

    ModelNetwork(SplittableRandom random) {
        this.random = random;
    }

    private final class Call<A> {
        private final Supplier<A> work;
        private final Consumer<A> answered;
        private final Runnable unknown;
        private boolean givenUp;

        Call(Supplier<A> work, Consumer<A> answered, Runnable unknown) {
            this.work = work;
            this.answered = answered;
            this.unknown = unknown;
        }

        void giveUp() {
            if (!givenUp) {
                givenUp = true;
                unknown.run();
            }
        }

        void deliver(boolean answer) {
            A result = work.get();
            if (answer) {
                answers.add(() -> {
                    if (!givenUp) {
                        givenUp = true;
                        answered.accept(result);
                    }
                });
            } else {
                giveUp();
            }
        }
    }

    /** Sends a call; its caller hears an answer once, or that there is none. */
    <A> void send(Supplier<A> work, Consumer<A> answered, Runnable unknown) {
        calls.add(new Call<>(work, answered, unknown));
    }

    /** From now on calls come late, twice or never again. */
    void fail() {
        faulty = true;
    }

    /** From now on every call arrives once and is answered; what is late arrives now. */
    void heal() {
        faulty = false;
        while (!calls.isEmpty() || !answers.isEmpty()) {
            step();
        }
    }

    /** Something happens to one of the calls, or an answer arrives. */
    void step() {
        if (!answers.isEmpty() && (calls.isEmpty() || random.nextInt(4) == 0)) {
            answers.remove(random.nextInt(answers.size())).run();
            return;
        }
        if (calls.isEmpty()) {
            return;
        }
        Call<?> call = calls.get(random.nextInt(calls.size()));
        switch (faulty ? random.nextInt(10) : 9) {
            case 0 -> call.giveUp(); // and arrives late
            case 1 -> {
                calls.remove(call);
                call.giveUp();
            }
            case 2 -> {
                calls.remove(call);
                call.deliver(false);
            }
            case 3 -> call.deliver(true); // and arrives once more
            default -> {
                calls.remove(call);
                call.deliver(true);
            }
        }
    }
}
