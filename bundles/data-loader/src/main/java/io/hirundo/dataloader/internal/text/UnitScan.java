package io.hirundo.dataloader.internal.text;

import io.hirundo.DataException;
import io.hirundo.lib.input.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Finds what documents can be read from, in a source's files and in the archives among them. */
final class UnitScan {
  /** What a compressed text grows by where it does not say. */
  private static final double USUAL_RATIO = 3.5;

  /** The size that a gzip file ends with counts modulo 2^32: of a larger file than this it is not to be trusted. */
  private static final long TRUSTED_GZIP_BYTES = 256L << 20;

  private final ZipPool zips;
  private final List<TextUnit> units = new ArrayList<>();

  private UnitScan(ZipPool zips) {
    this.zips = zips;
  }

  /**
   * Lists what is in the files, in their order; entries of an archive by name.
   *
   * @param zips for the archives, which the units read through it
   */
  static List<TextUnit> scan(SourceFiles files, ZipPool zips) {
    var scan = new UnitScan(zips);
    for (SourceFiles.Entry file : files.entries()) {
      String origin = files.isFolder() ? files.source().resolve(file.name()).toString() : files.source().toString();
      try {
        scan.add(file, origin, files.isFolder());
      } catch (IOException e) {
        throw new DataException("cannot read " + origin + ": " + Reason.of(e) + "; is it whole?", e);
      }
    }
    return scan.units;
  }

  private void add(SourceFiles.Entry file, String origin, boolean inFolder) throws IOException {
    String name = file.name().toLowerCase(Locale.ROOT);
    if (file.bytes() == 0) {
      return;
    }
    if (name.endsWith(".zip") || name.endsWith(".jar")) {
      addEntries(file.path(), origin);
    } else if (name.endsWith(".gz")) {
      long bytes = unzippedBytes(file);
      String inner = name.substring(0, name.length() - 3);
      add(origin, format(inner, bytes, inFolder), bytes, gzip(file.path()));
    } else {
      add(origin, format(name, file.bytes(), inFolder), file.bytes(), plain(file.path()));
    }
  }

  private void add(String origin, TextUnit.Format format, long bytes, TextUnit.Access access) {
    units.add(TextUnit.whole(origin, format, bytes, access));
  }

  /** A text that is all there is gets cut, so that there are documents to divide between training and validation. */
  private static TextUnit.Format format(String name, long bytes, boolean oneOfMany) {
    if (name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
      return TextUnit.Format.LINES;
    }
    return oneOfMany && bytes <= TextUnit.LARGE_BYTES ? TextUnit.Format.WHOLE : TextUnit.Format.PIECES;
  }

  private void addEntries(Path zip, String origin) throws IOException {
    zips.get(zip).stream()
        .filter(entry -> !entry.isDirectory() && entry.getSize() != 0 && !isHidden(entry.getName()))
        .sorted(Comparator.comparing(ZipEntry::getName))
        .forEach(entry -> {
          long bytes = entry.getSize() >= 0 ? entry.getSize() : entry.getCompressedSize();
          TextUnit.Format format = format(entry.getName().toLowerCase(Locale.ROOT), bytes, true);
          add(origin + "!" + entry.getName(), format, bytes, entry(zip, entry));
        });
  }

  private static boolean isHidden(String name) {
    return name.startsWith(".") || name.contains("/.");
  }

  private static long unzippedBytes(SourceFiles.Entry file) throws IOException {
    long estimate = (long) (file.bytes() * USUAL_RATIO);
    if (file.bytes() < 18 || file.bytes() > TRUSTED_GZIP_BYTES) {
      return estimate;
    }
    try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ)) {
      var tail = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      channel.read(tail, file.bytes() - Integer.BYTES);
      long said = Integer.toUnsignedLong(tail.getInt(0));
      // Of several members it is the last one's. A text smaller than its compressed form is tiny.
      return said * 2 >= file.bytes() ? said : estimate;
    }
  }

  /** Opens the bytes. */
  @FunctionalInterface
  private interface Opener {
    InputStream open() throws IOException;
  }

  private static TextUnit.Access stream(Opener opener) {
    return new TextUnit.Access() {
      @Override
      public InputStream open(long at) throws IOException {
        return opener.open();
      }

      @Override
      public boolean isStream() {
        return true;
      }
    };
  }

  private TextUnit.Access entry(Path path, ZipEntry entry) {
    return stream(() -> {
      ZipFile zip = zips.get(path);
      return zip.getInputStream(entry);
    });
  }

  private static TextUnit.Access gzip(Path path) {
    return stream(() -> new GZIPInputStream(plain(path).open(0), 1 << 16));
  }

  private static TextUnit.Access plain(Path path) {
    return new TextUnit.Access() {
      @Override
      public InputStream open(long at) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        return Channels.newInputStream(channel.position(at));
      }

      @Override
      public boolean isStream() {
        return false;
      }
    };
  }
}
