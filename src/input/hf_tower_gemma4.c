// Gemma 4's vision and audio towers.
#include "base/checked.h"
#include "input/hf_tower.h"

void hf_tower_gemma4(struct hf *hf)
{
    hf_finish_gemma4(hf);
}
