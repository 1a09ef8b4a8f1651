package io.imexagent.controller.manifests;

import java.util.AbstractList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lists that count how often their elements are read: what an expression costs, as far as it goes through lists. */
final class CountedLists {

    private int reads;

    int reads() {
        return reads;
    }

    /** The same JSON, with lists that count. */
    Object counted(Object json) {
        return switch (json) {
            case Map<?, ?> map -> {
                var copy = new LinkedHashMap<Object, Object>();
                map.forEach((name, value) -> copy.put(name, value == null ? null : counted(value)));
                yield copy;
            }
            case List<?> list -> new Counted(list.stream().map(this::counted).toList());
            default -> json;
        };
    }

    private final class Counted extends AbstractList<Object> {

        private final List<Object> elements;

        Counted(List<Object> elements) {
            this.elements = elements;
        }

        @Override
        public Object get(int index) {
            reads++;
            return elements.get(index);
        }

        @Override
        public int size() {
            return elements.size();
        }
    }
}
