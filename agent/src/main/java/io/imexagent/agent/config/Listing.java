package io.imexagent.agent.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Several names, separated by commas.
 *
 * @param nouns what they are
 * @param example an example
 * @param valid whether a text is such a name
 */
record Listing(String nouns, String example, Predicate<String> valid) implements ValueType<NameList> {

    @Override
    public Optional<NameList> parse(String text) {
        List<String> names =
                Arrays.stream(text.split(",", -1)).map(String::strip).distinct().toList();
        return names.stream().allMatch(name -> !name.isEmpty() && valid.test(name))
                ? Optional.of(new NameList(names))
                : Optional.empty();
    }

    @Override
    public String print(NameList value) {
        return value.toString();
    }

    @Override
    public String expected() {
        return nouns + ", separated by commas, such as " + example;
    }

    @Override
    public Class<NameList> javaType() {
        return NameList.class;
    }
}
