// dlsim-replay: memory traffic of a tile order on a chip's L2, as one line of JSON.
#include "sim/config/chip_file.h"
#include "sim/replay/replay.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {

// A file with a line for each tile of C in the order in which programs take them: row and column, in tiles.
std::vector<dlsim::sim::Tile> readOrder(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  std::vector<dlsim::sim::Tile> order;
  for (dlsim::sim::Tile tile; file >> tile.row >> tile.column;)
    order.push_back(tile);
  if (!file.eof())
    throw std::runtime_error(path + ": line " + std::to_string(order.size() + 1) +
                             " is not a row and a column");
  return order;
}

} // namespace

// SystemC's library, which the memory system's sockets bring along, wants one.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  CLI::App app{"Counts the memory traffic of C = A x B whose tiles are taken in a given order"};
  std::string chip = "h200_l2", path;
  std::vector<std::string> overrides;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint32_t> tile{128, 128, 64};
  dlsim::sim::TileProduct product;
  app.add_option("order", path, "file with a line \"row column\" for each tile")->required();
  app.add_option("--chip", chip, "chip file");
  app.add_option("-D,--define", overrides, "set a chip parameter, KEY=VALUE; may be repeated");
  app.add_option("--shape", shape, "M N K")->required()->expected(3);
  app.add_option("--tile", tile, "rows, columns and depth of a step")->expected(3);
  app.add_option("--programs", product.programs, "programs in step (default: the chip's clusters)");
  CLI11_PARSE(app, argc, argv);
  try {
    const dlsim::sim::ChipSpec spec = dlsim::sim::loadChip(chip, overrides).spec;
    product.m = shape[0], product.n = shape[1], product.k = shape[2];
    product.tileM = tile[0], product.tileN = tile[1], product.tileK = tile[2];
    if (product.programs == 0)
      product.programs = spec.clusters;
    const dlsim::sim::ReplayCounts counts = dlsim::sim::replay(spec, product, readOrder(path));
    std::cout << "{\"requested_bytes\": " << counts.requestedBytes << ", \"read_bytes\": " << counts.readBytes
              << ", \"written_bytes\": " << counts.writtenBytes << "}\n";
  } catch (const std::exception& error) {
    std::cerr << "dlsim-replay: " << error.what() << "\n";
    return 2;
  }
  return 0;
}
