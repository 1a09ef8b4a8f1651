package io.imexagent.testing.api.object;

/**
 * One fault of an object: a cause in the details of an Invalid status, with a machine-readable reason such as {@code
 * FieldValueInvalid}.
 */
public record Cause(String reason, String field, String message) {
    /** A value that is not allowed. */
    public static Cause invalid(String field, String value, String why) {
        return new Cause("FieldValueInvalid", field, "Invalid value: " + value + ": " + why);
    }

    /** A text that is not allowed. */
    static Cause text(String field, String value, String why) {
        return invalid(field, "\"" + value + "\"", why);
    }

    /** A field that must be there. */
    static Cause required(String field, String why) {
        return new Cause("FieldValueRequired", field, why.isEmpty() ? "Required value" : "Required value: " + why);
    }

    /** A value outside an enumeration. */
    static Cause unsupported(String field, String value, String supported) {
        return new Cause(
                "FieldValueNotSupported",
                field,
                "Unsupported value: \"" + value + "\": supported values: " + supported);
    }

    /** A value that stands there twice. */
    static Cause duplicate(String field, String value) {
        return new Cause("FieldValueDuplicate", field, "Duplicate value: \"" + value + "\"");
    }

    /** A list that is too long. */
    static Cause tooMany(String field, int actual, int allowed) {
        return new Cause(
                "FieldValueTooMany", field, "Too many: " + actual + ": must have at most " + allowed + " items");
    }

    /** A text that is too long. */
    static Cause tooLong(String field, int allowed) {
        return new Cause("FieldValueTooLong", field, "Too long: may not be more than " + allowed + " bytes");
    }

    /** Something that may not be done to the field. */
    static Cause forbidden(String field, String why) {
        return new Cause("FieldValueForbidden", field, "Forbidden: " + why);
    }

    /** A value of the wrong JSON type. */
    static Cause wrongType(String field, String actual, String expected) {
        return new Cause(
                "FieldValueTypeInvalid",
                field,
                "Invalid value: \"" + actual + "\": " + field + " in body must be of type " + expected + ": \"" + actual
                        + "\"");
    }
}
