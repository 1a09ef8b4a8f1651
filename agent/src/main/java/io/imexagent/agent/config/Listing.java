package io.imexagent.agent.config;

import io.imexagent.rdma.watch.NameList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Several names with a separator between them.
 *
 * @param nouns what they are
 * @param example an example
 * @param valid whether a text is such a name
 * @param between the separator, and its plural in words
 */
record Listing(String nouns, String example, Predicate<String> valid, Between between) implements ValueType<NameList> {

    /** Several names, separated by commas. */
    Listing(String nouns, String example, Predicate<String> valid) {
        this(nouns, example, valid, Between.COMMAS);
    }

    /** What may stand between names. */
    enum Between {
        /** The usual. */
        COMMAS(","),
        /** For names that may hold commas. */
        SEMICOLONS(";");

        private final String sign;

        Between(String sign) {
            this.sign = sign;
        }
    }

    @Override
    public Optional<NameList> parse(String text) {
        List<String> names = Arrays.stream(text.split(between.sign, -1))
                .map(String::strip)
                .distinct()
                .toList();
        return names.stream().allMatch(name -> !name.isEmpty() && valid.test(name))
                ? Optional.of(new NameList(names))
                : Optional.empty();
    }

    @Override
    public Optional<String> separator() {
        return Optional.of(between.sign);
    }

    @Override
    public String print(NameList value) {
        return String.join(between.sign, value.names());
    }

    @Override
    public String expected() {
        return nouns + ", separated by " + between.name().toLowerCase(Locale.ROOT) + ", such as " + example;
    }

    @Override
    public Class<NameList> javaType() {
        return NameList.class;
    }
}
