"""Training loops: collect, update, test, log, save."""

from arena.trainer.evaluation import gather_info, test_episode
from arena.trainer.offline import OfflineTrainer, offline_trainer
from arena.trainer.offpolicy import OffpolicyTrainer, offpolicy_trainer
from arena.trainer.onpolicy import OnpolicyTrainer, onpolicy_trainer

__all__ = [
    "OfflineTrainer",
    "OffpolicyTrainer",
    "OnpolicyTrainer",
    "gather_info",
    "offline_trainer",
    "offpolicy_trainer",
    "onpolicy_trainer",
    "test_episode",
]
