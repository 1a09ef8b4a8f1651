package io.imexagent.agent.config;

import java.util.List;
import java.util.Optional;

/** A value in a YAML document, with its place and without an interpretation of its text. */
sealed interface YamlNode {

    /** The line in which it begins, from 1. */
    int line();

    /**
     * Keys and values, in their order; a key may stand there twice.
     *
     * @param members the members
     * @param line where it begins
     */
    record Mapping(List<Member> members, int line) implements YamlNode {

        /** Copies the list in. */
        public Mapping {
            members = List.copyOf(members);
        }
    }

    /**
     * A key with its value.
     *
     * @param key the key
     * @param line the key's line
     * @param value the value
     */
    record Member(String key, int line, YamlNode value) {}

    /**
     * A list.
     *
     * @param entries the texts of its entries; empty where one of them is no scalar
     * @param line where it begins
     */
    record Sequence(Optional<List<String>> entries, int line) implements YamlNode {

        /** Copies the list in. */
        public Sequence {
            entries = entries.map(List::copyOf);
        }
    }

    /**
     * A text, a number or a truth value, as it is written.
     *
     * @param text the text without its quotes
     * @param line where it begins
     */
    record Scalar(String text, int line) implements YamlNode {}

    /**
     * Nothing: a key without a value, or {@code null}.
     *
     * @param line where it would begin
     */
    record Empty(int line) implements YamlNode {}

    /**
     * A reference to another place of the document.
     *
     * @param line where it stands
     */
    record Alias(int line) implements YamlNode {}
}
