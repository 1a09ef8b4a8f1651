package io.imexagent.core.claim;

import java.util.List;

/**
 * The nodes on which an allocation can be used, as alternatives ({@code core/v1 NodeSelector}). The agent only carries
 * it.
 */
public record NodeSelector(List<Term> terms) {

    public NodeSelector {
        terms = List.copyOf(terms);
    }

    /** One alternative: all of its requirements on labels and on fields hold. */
    public record Term(List<Requirement> matchExpressions, List<Requirement> matchFields) {

        public Term {
            matchExpressions = List.copyOf(matchExpressions);
            matchFields = List.copyOf(matchFields);
        }
    }

    /**
     * One requirement.
     *
     * @param key the label or field
     * @param operator {@code In}, {@code NotIn}, {@code Exists}, {@code DoesNotExist}, {@code Gt}, {@code Lt}
     * @param values what the operator compares with
     */
    public record Requirement(String key, String operator, List<String> values) {

        public Requirement {
            values = List.copyOf(values);
        }
    }
}
