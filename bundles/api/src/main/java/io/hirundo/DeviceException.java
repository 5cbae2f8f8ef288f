package io.hirundo;

/** A device failed or is out of memory. Restart the rank; use less memory where the message says so. */
public final class DeviceException extends HirundoException {
    private static final long serialVersionUID = 1L;

    public DeviceException(String message) {
        this(message, null);
    }

    public DeviceException(String message, Throwable cause) {
        super(ExitCode.DEVICE, message, cause);
    }
}
