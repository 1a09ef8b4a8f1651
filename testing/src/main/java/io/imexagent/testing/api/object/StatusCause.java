package io.imexagent.testing.api.object;

/**
 * One fault of an object: a cause in the details of an Invalid status, with a machine-readable reason such as {@code
 * FieldValueInvalid}.
 */
public record StatusCause(String reason, String field, String message) {
    /** A value that is not allowed. */
    public static StatusCause invalid(String field, String value, String why) {
        return new StatusCause("FieldValueInvalid", field, "Invalid value: " + value + ": " + why);
    }

    /** A value that breaks a rule of the definition; the server does not repeat it. */
    static StatusCause rule(String field, String why) {
        return new StatusCause("FieldValueInvalid", field, "Invalid value: " + why);
    }

    static StatusCause text(String field, String value, String why) {
        return invalid(field, "\"" + value + "\"", why);
    }

    static StatusCause required(String field) {
        return new StatusCause("FieldValueRequired", field, "Required value");
    }

    static StatusCause tooMany(String field, int actual, int allowed) {
        return new StatusCause(
                "FieldValueTooMany", field, "Too many: " + actual + ": must have at most " + allowed + " items");
    }

    static StatusCause tooLong(String field, int allowed) {
        return new StatusCause("FieldValueTooLong", field, "Too long: may not be more than " + allowed + " bytes");
    }

    /** Something that may not be done to the field. */
    static StatusCause forbidden(String field, String why) {
        return new StatusCause("FieldValueForbidden", field, "Forbidden: " + why);
    }
}
