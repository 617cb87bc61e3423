#include "sim/tools/timeline_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace dlsim::tools {

namespace {

constexpr double kLeft = 120, kRight = 16, kWidth = 1000, kRow = 15, kGap = 26, kBand = 5;
constexpr unsigned kShades = 8;

// Okabe and Ito's colours: distinguishable with the common kinds of colour blindness.
const std::map<std::string, const char*> kColours = {
    {"MTE2", "#0072B2"}, {"MTE1", "#56B4E9"}, {"M", "#E69F00"},     {"FIX", "#009E73"},
    {"MTE3", "#CC79A7"}, {"V", "#D55E00"},    {"SCALAR", "#777777"}};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

bool isWait(const Span& span) { return span.name.rfind("wait", 0) == 0 || span.name.rfind("stall", 0) == 0; }

class Drawing {
public:
  explicit Drawing(const Timeline& timeline) : t_(timeline) {}

  std::string run() {
    text(kLeft, 16, "start", t_.title, "head");
    y_ = 28;
    for (const CoreRows& core : t_.cores)
      drawCore(core);
    axis();
    legend();
    for (const Heat& heat : t_.heats)
      drawHeat(heat);
    const std::string height = shown(y_ + 8);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + shown(kWidth) + ' ' + height +
           "\" width=\"100%\" font-family=\"sans-serif\" font-size=\"10\">\n<style>\n"
           "svg{--ink:#1c2026;--soft:#59626e;--line:#d5d9df;--wait:#c9ced6;background:#fff}\n"
           "@media "
           "(prefers-color-scheme:dark){svg{--ink:#e3e6ea;--soft:#a3acb7;--line:#363c44;--wait:#4a515b;"
           "background:#14171b}}\n"
           "text{fill:var(--ink)}.soft{fill:var(--soft)}.head{font-size:12px}.wait{fill:var(--wait)}line{"
           "stroke:var(--line)}\n"
           "</style>\n" +
           body_ + "</svg>\n";
  }

private:
  double x(double time) const {
    return kLeft + (time - t_.begin) / (t_.end - t_.begin) * (kWidth - kLeft - kRight);
  }

  void text(double at, double y, const char* anchor, const std::string& words, const char* kind = "") {
    body_ += "<text x=\"" + shown(at) + "\" y=\"" + shown(y) + "\" text-anchor=\"" + anchor + "\" class=\"" +
             kind + "\">" + escaped(words) + "</text>\n";
  }
  void box(double left, double top, double width, double height, const std::string& paint,
           const std::string& tip = {}) {
    body_ += "<rect x=\"" + shown(left) + "\" y=\"" + shown(top) + "\" width=\"" + shown(width) +
             "\" height=\"" + shown(height) + "\" " + paint +
             (tip.empty() ? "/>\n" : "><title>" + escaped(tip) + "</title></rect>\n");
  }

  void drawCore(const CoreRows& core) {
    for (const auto& [unit, spans] : core.units) {
      text(kLeft - 6, y_ + 11, "end", core.core + ' ' + unit);
      body_ += "<line x1=\"" + shown(kLeft) + "\" x2=\"" + shown(kWidth - kRight) + "\" y1=\"" +
               shown(y_ + kRow) + "\" y2=\"" + shown(y_ + kRow) + "\"/>\n";
      drawSpans(unit, spans, true);
      drawSpans(unit, spans, false);
      y_ += kRow;
    }
    y_ += 6;
  }

  // Waits, or work above them. What is too narrow to be seen is drawn together with what follows.
  void drawSpans(const std::string& unit, const std::vector<Span>& spans, bool waits) {
    constexpr double kLeast = 0.4;
    const auto colour = kColours.find(unit);
    const std::string paint =
        waits ? "class=\"wait\""
              : std::string("fill=\"") + (colour == kColours.end() ? "#777777" : colour->second) + '"';
    double left = 0, right = 0;
    std::string tip;
    const auto flush = [&] {
      if (!tip.empty())
        box(left, y_ + (waits ? 5 : 2), std::max(right - left, kLeast), kRow - (waits ? 8 : 3), paint, tip);
      tip.clear();
    };
    for (const Span& span : spans) {
      const double from = x(std::max(span.begin, t_.begin)),
                   to = x(std::min(span.begin + span.length, t_.end));
      if (to < from || isWait(span) != waits)
        continue;
      const bool close =
          !tip.empty() && from - right < kLeast && (to - from < kLeast || right - left < kLeast);
      if (!close) {
        flush();
        left = right = from;
        tip = span.name + ", " + shown(span.begin) + " us, " + shown(span.length) + " us";
      }
      right = std::max(right, to);
    }
    flush();
  }

  void axis() {
    const double raw = (t_.end - t_.begin) / 8, power = std::pow(10, std::floor(std::log10(raw)));
    const std::array<double, 4> steps{1, 2, 5, 10};
    const double step =
        power * *std::find_if(steps.begin(), steps.end() - 1, [&](double s) { return s * power >= raw; });
    y_ += 10;
    for (double at = std::ceil(t_.begin / step) * step; at <= t_.end + 1e-9 * step; at += step) {
      body_ += "<line x1=\"" + shown(x(at)) + "\" x2=\"" + shown(x(at)) + "\" y1=\"24\" y2=\"" +
               shown(y_ - 8) + "\"/>\n";
      text(x(at), y_ + 2, "middle", shown(std::abs(at) < 1e-9 * step ? 0 : at), "soft");
    }
    text(kLeft - 6, y_ + 2, "end", "time (us)", "soft");
    y_ += 8;
  }

  void legend() {
    double at = kLeft;
    for (const auto& [unit, colour] : kColours) {
      const bool used = std::any_of(t_.cores.begin(), t_.cores.end(), [&, name = unit](const CoreRows& core) {
        return std::any_of(core.units.begin(), core.units.end(),
                           [&](const auto& row) { return row.first == name; });
      });
      if (!used || unit == "SCALAR")
        continue;
      box(at, y_ + 4, 10, 8, std::string("fill=\"") + colour + '"');
      text(at + 14, y_ + 12, "start", unit, "soft");
      at += 80;
    }
    box(at, y_ + 6, 10, 5, "class=\"wait\"");
    text(at + 14, y_ + 12, "start", "waits", "soft");
    y_ += kGap;
  }

  void drawHeat(const Heat& heat) {
    double most = 0;
    size_t places = 0;
    for (const auto& bin : heat.bins) {
      places = std::max(places, bin.size());
      for (const double value : bin)
        most = std::max(most, value);
    }
    if (most == 0)
      return;
    text(kLeft, y_ + 4, "start",
         heat.title + ": at most " + shown(most) + ' ' + heat.unit + " in " + shown(heat.width) + " us",
         "head");
    y_ += 12;
    for (size_t place = 0; place < places; ++place)
      drawPlace(heat, place, most);
    text(kLeft - 6, y_ + 9, "end", heat.place + " 0", "soft");
    text(kLeft - 6, y_ + kBand * static_cast<double>(places), "end", std::to_string(places - 1), "soft");
    y_ += kBand * static_cast<double>(places) + kGap;
  }

  // Equal neighbours in time are one box; the ramp is even in lightness from both pages' ink.
  void drawPlace(const Heat& heat, size_t place, double most) {
    const double top = y_ + kBand * static_cast<double>(place);
    size_t from = 0;
    const auto shade = [&](size_t bin) {
      const double value = place < heat.bins[bin].size() ? heat.bins[bin][place] : 0;
      return static_cast<unsigned>(std::ceil(value / most * kShades));
    };
    for (size_t bin = 1; bin <= heat.bins.size(); ++bin) {
      if (bin < heat.bins.size() && shade(bin) == shade(from))
        continue;
      const double left = x(std::max(t_.begin, heat.begin + heat.width * static_cast<double>(from)));
      const double right = x(std::min(t_.end, heat.begin + heat.width * static_cast<double>(bin)));
      if (shade(from) > 0 && right > left)
        box(left, top, right - left, kBand,
            "fill=\"#0072B2\" fill-opacity=\"" + shown(shade(from) / double{kShades}) + '"');
      from = bin;
    }
  }

  const Timeline& t_;
  std::string body_;
  double y_ = 0;
};

} // namespace

std::string timelineSvg(const Timeline& timeline) { return Drawing(timeline).run(); }

} // namespace dlsim::tools
