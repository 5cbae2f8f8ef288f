# An SVG of stacked bars from files of KERNEL lines: a bar a file, by group of kernels, in milliseconds of a step.
function group(name) {
  if (name ~ /^Gemm|mkldnn|addmm|aten::mm|bmm|_linear/) return "GEMM"
  if (name ~ /Attention|attention/) return "attention"
  if (name ~ /adamw|AdamW|adamW|SumOfSquares/) return "optimizer"
  if (name ~ /Loss|softmax|nll/) return "loss"
  if (name ~ /GatedMlp|silu/) return "gated MLP"
  if (name ~ /Norm/) return "norm"
  return "other"
}
function bare(path) { sub(/.*\//, "", path); sub(/-/, " ", path); sub(/-/, " ", path); return path }
/^KERNEL/ { time[FILENAME, group($2)] += $3; total[FILENAME] += $3; if (!(FILENAME in seen)) { seen[FILENAME]; files[++count] = FILENAME } }
END {
  groups = split("GEMM,attention,loss,gated MLP,norm,optimizer,other", name, ",")
  split("#4878a8,#d1605e,#f1a340,#6a9f58,#967662,#a87c9f,#b0b0b0", color, ",")
  for (f = 1; f <= count; f++) if (total[files[f]] > most) most = total[files[f]]
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n", 50 + 30 * count
  print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
  for (g = 1; g <= groups; g++)
    printf "<rect x=\"%d\" y=\"8\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"19\">%s</text>\n", 10 + 115 * g - 105, color[g], 10 + 115 * g - 88, name[g]
  for (f = 1; f <= count; f++) {
    x = 170; y = 10 + 30 * f
    printf "<text x=\"10\" y=\"%d\">%s</text>\n", y + 16, bare(files[f])
    for (g = 1; g <= groups; g++) {
      width = time[files[f], name[g]] / most * 650
      printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"22\" fill=\"%s\"><title>%s: %.1f ms</title></rect>\n", x, y, width, color[g], name[g], time[files[f], name[g]]
      x += width
    }
    printf "<text x=\"%.1f\" y=\"%d\">%.0f ms</text>\n", x + 5, y + 16, total[files[f]]
  }
  print "</svg>"
}
