package __package__;

import io.hirundo.DataException;
import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/** The bytes of a file as tokens: 256 of them, no tokenizer. */
record __Name__Data(__Name__Options options) implements DataSource {
  @Override
  public SampleSet open(SampleRequest request) {
    Path file = Path.of(options.file());
    Arena arena = Arena.ofShared();
    try (FileChannel channel = FileChannel.open(file)) {
      // Mapped, so that a file may be larger than memory, and threads read it at once.
      MemorySegment bytes = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
      return new __Name__Samples(file, arena, bytes, options.validation(), request);
    } catch (IOException e) {
      arena.close();
      throw new DataException("cannot read " + file + ": " + e + "; name a file with data.source.options.file", e);
    } catch (DataException e) {
      arena.close();
      throw e;
    }
  }

  /** A sample follows from its index alone, whatever was read before: so this can take over in the middle of a run. */
  @Override
  public SampleSet open(SampleRequest request, DataCursor from) {
    return open(request);
  }
}
