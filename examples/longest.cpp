// Prints the longest --max-model-len that a built-in model takes on a GPU:  longest Qwen/Qwen3-8B l4
#include <cstring>
#include <iostream>
#include <memory>

#include <kvbudget/kvbudget.h>

int main(int count, char **words)
{
    auto deployment = std::make_unique<kvb_deployment>(); // large structs: not on the stack
    auto answer = std::make_unique<kvb_answer>();
    auto problems = std::make_unique<kvb_problems>();
    if (kvb_init() != KVB_OK || count != 3) {
        std::cerr << "usage: longest MODEL GPU; library " << kvb_version() << '\n';
        return 2;
    }
    kvb_problems_init(problems.get());
    kvb_deployment_init(deployment.get());
    std::strncpy(deployment->model, words[1], sizeof deployment->model - 1);
    std::strncpy(deployment->gpu, words[2], sizeof deployment->gpu - 1);
    const auto status = kvb_answer_deployment(deployment.get(), answer.get(), problems.get());
    if (status != KVB_OK) {
        std::cerr << (problems->count > 0 ? problems->items[0].text : kvb_status_name(status)) << '\n';
        return kvb_status_exit_code(status);
    }
    std::cout << (answer->advice.has_max_model_len ? answer->advice.max_model_len : 0) << '\n';
    return 0;
}
