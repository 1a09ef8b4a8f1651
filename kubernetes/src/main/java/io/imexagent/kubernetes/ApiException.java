package io.imexagent.kubernetes;

/** A failed call to the API server. Its message is that of the failure. */
public class ApiException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient ApiFailure failure;

    public ApiException(ApiFailure failure) {
        super(failure.message());
        this.failure = failure;
    }

    public ApiException(ApiFailure failure, Throwable cause) {
        super(failure.message(), cause);
        this.failure = failure;
    }

    public ApiFailure failure() {
        return failure;
    }
}
