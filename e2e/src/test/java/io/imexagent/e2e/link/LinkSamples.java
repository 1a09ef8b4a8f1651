package io.imexagent.e2e.link;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Classes with all that {@link ClassLinker} links. */
final class LinkSamples {

    private LinkSamples() {}

    record Everything(
            boolean flag,
            byte small,
            short shorter,
            char letter,
            int number,
            long longer,
            float single,
            double twice,
            String text,
            List<String> texts) {}

    record Nothing() {}

    record Nested(@Nullable String text, Nothing inner) {}

    sealed interface Shape {
        record Circle(int radius) implements Shape {}

        record Square(int side) implements Shape {}
    }

    /** A switch with guards, which begins again behind a label whose guard failed, record patterns and null. */
    static String describe(@Nullable Object value) {
        return switch (value) {
            case null -> "nothing";
            case Shape.Circle(int radius) when radius > 10 -> "large circle";
            case Shape.Circle circle when circle.radius() > 1000 -> "never";
            case Shape.Circle circle -> "circle " + circle;
            case Shape shape -> "shape " + outline(shape);
            case String text -> "text " + text.length();
            case List<?> list -> "list " + list.size();
            default -> "other";
        };
    }

    private static int outline(Shape shape) {
        return switch (shape) {
            case Shape.Circle circle -> 6 * circle.radius();
            case Shape.Square(int side) -> 4 * side;
        };
    }
}
