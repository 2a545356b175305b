// Towers beside the decoder: which there are, and which are not loaded.
#include "budget/weights/weights.h"

bool kvb_is_tower(enum kvb_role role)
{
    return role == KVB_ROLE_VISION || role == KVB_ROLE_AUDIO || role == KVB_ROLE_PROJECTOR;
}

// A projector belongs to the tower for pictures, or to the only one there is.
bool kvb_drops_tower(const struct kvb_load *load, enum kvb_role role)
{
    bool sound = role == KVB_ROLE_AUDIO || (role == KVB_ROLE_PROJECTOR && load->model->encoder.layers == 0);
    return sound ? load->no_audio : load->no_vision;
}
