package io.imexagent.nvml;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A number from NVML, with its name in nvml.h; empty for a number without a name in this project. */
public record Numbered<E extends Enum<E> & Numbered.NvmlConstant>(long number, Optional<E> name) {
    /** A name of a number in nvml.h, a constant of an enum. */
    public interface NvmlConstant {
        int ordinal();

        /** Returns the number in nvml.h: the ordinal of the constant, if nvml.h counts from 0 without a gap. */
        default long number() {
            return ordinal();
        }
    }

    public static <E extends Enum<E> & NvmlConstant> Numbered<E> of(E name) {
        return new Numbered<>(name.number(), Optional.of(name));
    }

    /** Returns the number with its name among these, if it has one. */
    public static <E extends Enum<E> & NvmlConstant> Numbered<E> of(long number, E[] names) {
        return new Numbered<>(
                number,
                Arrays.stream(names).filter(name -> name.number() == number).findFirst());
    }

    public boolean is(E candidate) {
        return number == candidate.number();
    }

    /** Returns the name in lower case, or without a name the kind and the number, such as {@code action_77}. */
    public String word(String kind) {
        return name.map(known -> known.name().toLowerCase(Locale.ROOT)).orElseGet(() -> kind + "_" + number);
    }

    /** Returns the name, or {@code UNLISTED_} and the number. */
    @Override
    public String toString() {
        return name.map(Enum::name).orElseGet(() -> "UNLISTED_" + number);
    }
}
