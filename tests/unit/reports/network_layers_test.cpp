#include "reports/run/network_layers.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/workloads/sample_layers.hpp"

namespace stcsim {
namespace {

/// A strided convolution without a dgrad, one with two kinds of pixels, and a linear layer twice.
Network sample_network() {
  Network network;
  network.name = "three";
  network.description = "layers";
  network.batch = 2;
  network.other_parameters = 5;
  network.layers = {conv_layer(3, 8, 8, 3, 2, 1), conv_layer(8, 16, 4, 3, 2, 1),
                    linear_layer(64, 10, 1)};
  network.layers[0].name = "stem";
  network.layers[0].needs_dgrad = false;
  network.layers[1].name = "body";
  network.layers[2].name = "fc";
  network.layers[2].repeat = 2;
  network.layers[2].bias = true;
  return network;
}

TEST(NetworkLayers, AsATable) {
  EXPECT_EQ(layers_text(sample_network()),
            R"(three: 4 layers, 2,673 parameters (5 of them outside the layers)
forward 9,344 MACs per sample; a step has 2 samples (sgd_momentum updates)

layer       type    phase              m   n   k  count    MACs  parameters
----------  ------  ----------------  --  --  --  -----  ------  ----------
stem        conv    forward            8  32  27      1   6,912         216
                    update (wgrad)     8  27  32      1   6,912
body        conv    forward           16   8  72      1   9,216       1,152
                    backward (dgrad)   8   8  64      1   4,096
                    backward (dgrad)   8  16  32      1   4,096
                    backward (dgrad)   8   8  16      1   1,024
                    update (wgrad)    16  72   8      1   9,216
fc ×2       linear  forward           10   2  64      1   1,280         650
                    backward (dgrad)  64   2  10      1   1,280
                    update (wgrad)    10  64   2      1   1,280
----------  ------  ----------------  --  --  --  -----  ------  ----------
all layers          forward                              18,688
all layers          backward (dgrad)                     11,776
all layers          update (wgrad)                       18,688
all layers          step                                 49,152       2,673

Figures are of one repeat of a layer and a whole step; a layer marked ×N occurs N times.
count: independent GEMMs of that shape.
)");
}

TEST(NetworkLayers, AsJson) {
  const auto json = nlohmann::json::parse(layers_to_json(sample_network()));
  EXPECT_EQ(json["schema"], "stcsim.layers/1");
  EXPECT_EQ(json["network"], "three");
  EXPECT_EQ(json["batch"], 2);
  EXPECT_EQ(json["parameters"], 2673);
  EXPECT_EQ(json["other_parameters"], 5);
  EXPECT_EQ(json["forward_macs_per_sample"], 9344);
  EXPECT_EQ(json["macs"], nlohmann::json({{"forward", 18688}, {"dgrad", 11776}, {"wgrad", 18688}}));
  ASSERT_EQ(json["gemms"].size(), 10U);
  EXPECT_EQ(json["gemms"][4], nlohmann::json({{"network", "three"},
                                              {"layer", "body"},
                                              {"type", "conv"},
                                              {"role", "body"},
                                              {"repeat", 1},
                                              {"parameters", 1152},
                                              {"phase", "dgrad"},
                                              {"part", 1},
                                              {"m", 8},
                                              {"n", 16},
                                              {"k", 32},
                                              {"batch_count", 1},
                                              {"macs", 4096}}));
}

TEST(NetworkLayers, AsCsv) {
  const std::string text = layers_to_csv(sample_network());
  EXPECT_EQ(text.substr(0, text.find("\r\n") + 2),
            "network,layer,type,role,repeat,parameters,phase,part,m,n,k,batch_count,macs\r\n");
  EXPECT_NE(text.find("\r\nthree,fc,linear,body,2,650,wgrad,0,10,64,2,1,1280\r\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace stcsim
