"""Training loops: collect, update, test, log, save.

An interrupted training resumes at the same step counts if

1. its `save_checkpoint_fn` saves all that changes: the policy's `state_dict()`, the optimizer's, and, where it is
   sampled from, the buffer (`save_hdf5`); it is called after every `save_interval` epochs of the logger;
2. its logger is a `TensorboardLogger` of the same folder, a `CSVLogger` of the same file, or a `WandbLogger` of the
   same `run_id`, which log the counters beside each checkpoint, and the best test when it has become better;
3. all that was saved is loaded before the trainer is made, and the trainer is told `resume_from_log=True`.

Environments begin new episodes. `save_fn` is called again only for what is better than the best test before.
"""

from arena.trainer.csv_logger import CSVLogger
from arena.trainer.evaluation import gather_info, test_episode
from arena.trainer.logger import BaseLogger, BasicLogger, LazyLogger, TensorboardLogger
from arena.trainer.offline import OfflineTrainer, offline_trainer
from arena.trainer.offpolicy import OffpolicyTrainer, offpolicy_trainer
from arena.trainer.onpolicy import OnpolicyTrainer, onpolicy_trainer
from arena.trainer.wandb_logger import WandbLogger

__all__ = [
    "BaseLogger",
    "BasicLogger",
    "CSVLogger",
    "LazyLogger",
    "OfflineTrainer",
    "OffpolicyTrainer",
    "OnpolicyTrainer",
    "TensorboardLogger",
    "WandbLogger",
    "gather_info",
    "offline_trainer",
    "offpolicy_trainer",
    "onpolicy_trainer",
    "test_episode",
]
