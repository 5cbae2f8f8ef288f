# Draws the validation losses of runs PRECISION-SEED, from their metrics.jsonl, into the file that -v drawing names, and prints the last
# ones. On the left the mean of the seeds, on the right each seed's distance from the first precision's loss.
function number(name) { return match($0, "\"" name "\":[-0-9.E]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 : -1 }
function svg(format, a, b, c, d, e, f, g) { printf format "\n", a, b, c, d, e, f, g > drawing }
function text(x, y, anchor, words) { svg("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#222\">%s</text>", x, y, anchor, words) }
function line(x1, y1, x2, y2, color) { svg("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>", x1, y1, x2, y2, color) }
# A place in the panel that begins at x0, for a step, and for a value of its range.
function across(x0, step) { return x0 + width * step / lastStep }
function down(value, low, high) { return top + height * (high - value) / (high - low) }

FNR == 1 {
  count = split(FILENAME, path, "/")
  run = path[count - 1]
  seed = run; sub(/.*-/, "", seed)
  name = substr(run, 1, length(run) - length(seed) - 1)
  if (!(name in order)) { order[name] = ++precisions; names[precisions] = name }
  if (!(seed in seen)) { seen[seed] = ++seeds; seedNames[seeds] = seed }
}
/"evaluation":"validation"/ {
  step = number("step")
  loss[name, seed, step] = number("loss")
  if (!(step in known)) { known[step] = 1; steps[++points] = step }
  if (step > lastStep) lastStep = step
}
END {
  if (!points) { print "convergence: no validation loss in " FILENAME > "/dev/stderr"; exit 1 }
  for (i = 2; i <= points; i++) for (j = i; j > 1 && steps[j - 1] > steps[j]; j--) { t = steps[j]; steps[j] = steps[j - 1]; steps[j - 1] = t }
  low = 1e9; high = farthest = 0
  for (p = 1; p <= precisions; p++) for (i = 1; i <= points; i++) {
    sum = 0
    for (s = 1; s <= seeds; s++) {
      if (!((names[p], seedNames[s], steps[i]) in loss)) {
        print "convergence: " names[p] "-" seedNames[s] " has no validation loss of step " steps[i] > "/dev/stderr"; exit 1
      }
      value = loss[names[p], seedNames[s], steps[i]]
      sum += value
      off[p, s, i] = 100 * (value / loss[names[1], seedNames[s], steps[i]] - 1)
      if (off[p, s, i] > farthest) farthest = off[p, s, i]
      if (-off[p, s, i] > farthest) farthest = -off[p, s, i]
    }
    mean[p, i] = sum / seeds
    if (mean[p, i] < low) low = mean[p, i]
    if (mean[p, i] > high) high = mean[p, i]
  }
  low = int(low * 2) / 2; high = int(high * 2 + 1) / 2; farthest = int(farthest * 2 + 1) / 2
  split("#333333 #3182bd #e6550d #31a354 #756bb1", colors, " ")
  width = 320; height = 240; top = 50; left = 50; right = 450
  svg("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 340\" font-family=\"sans-serif\" font-size=\"12\">")
  svg("<rect width=\"800\" height=\"340\" fill=\"white\"/>")
  text(left, 24, "start", "validation loss, mean of " seeds " seeds")
  text(right, 24, "start", "distance from " names[1] " with the same seed, percent")
  for (i = 0; i <= 4; i++) {
    y = top + height * i / 4
    line(left, y, left + width, y, "#ddd"); text(left - 6, y + 4, "end", sprintf("%.2f", high - (high - low) * i / 4))
    line(right, y, right + width, y, "#ddd"); text(right - 6, y + 4, "end", sprintf("%.2f", farthest * (1 - i / 2)))
    text(across(left, lastStep * i / 4), top + height + 18, "middle", lastStep * i / 4)
    text(across(right, lastStep * i / 4), top + height + 18, "middle", lastStep * i / 4)
  }
  text(left + width / 2, top + height + 34, "middle", "step"); text(right + width / 2, top + height + 34, "middle", "step")
  for (p = 1; p <= precisions; p++) {
    curve = ""
    for (i = 1; i <= points; i++) curve = curve sprintf("%.1f,%.1f ", across(left, steps[i]), down(mean[p, i], low, high))
    svg("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>", curve, colors[p])
    text(left + width - 110, top + 16 * p, "start", "<tspan fill=\"" colors[p] "\">&#9644;</tspan> " names[p])
    total = worst = 0
    for (s = 1; s <= seeds; s++) {
      total += loss[names[p], seedNames[s], lastStep]
      far = off[p, s, points] < 0 ? -off[p, s, points] : off[p, s, points]
      if (far > worst) worst = far
      if (p == 1) continue
      curve = ""
      for (i = 1; i <= points; i++) curve = curve sprintf("%.1f,%.1f ", across(right, steps[i]), down(off[p, s, i], -farthest, farthest))
      svg("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\"/>", curve, colors[p])
    }
    printf "RESULT: %-14s validation loss %.4f after %d steps, mean of %d seeds; %+.3f %% of %s, at most %.3f %% with one seed\n", names[p], total / seeds, lastStep, seeds, 100 * (mean[p, points] / mean[1, points] - 1), names[1], worst
  }
  svg("</svg>")
}
