import type { Core } from '../adapter.ts';
import { createRunning } from '../async/running.ts';
import type { AutoTranslate } from '../autotranslate/index.ts';
import type { Dispatcher } from '../command/dispatcher.ts';
import type { CoreConfig } from './core-config.ts';
import { createDeliveryWorker, type DeliveryWorkerDeps } from '../cluster/delivery-worker.ts';
import type { Invocation, PressInvocation } from '../ports/platform.ts';
import type { Space } from '../model/place.ts';
import type { Leases } from '../ports/processes.ts';
import type { RoomWatcher } from '../ports/voice.ts';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import type { SpaceRemoval } from './privacy.ts';
import { createAgreements } from '../store/agreements.ts';
import { createDeliveryStore } from '../store/deliveries.ts';
import { createOpenAnswerStore } from '../store/open-answers.ts';
import { createOpenAnswers } from '../cluster/open-answers.ts';
import { cipherOf } from '../store/secrets/encryption.ts';
import type { Store } from '../store/index.ts';
import { createInstallationStore } from '../store/secrets/installations.ts';
import { translateMeteredLine, type MeteredServices } from '../usage/meter.ts';
import { createDictationOpener, type DictationDeps } from '../voice/dictation.ts';

export interface ActivityDeps {
  readonly dispatcher: Dispatcher;
  readonly autoTranslate: Pick<AutoTranslate, 'listener'>;
  readonly rooms: {
    readonly watcher: RoomWatcher;
    readonly accessChanged: (space: Space) => void;
  };
  readonly removal: SpaceRemoval;
}

/**
 * Creates the part of the core that takes what happens on platforms; `settled` resolves when no command and no press is
 * under way.
 */
export const createActivity = ({ dispatcher, autoTranslate, rooms, removal }: ActivityDeps) => {
  const running = createRunning();
  /** Does what somebody asks for once nothing more of a removal of the space is under way. */
  const afterRemoval =
    <Asked extends Invocation | PressInvocation>(work: (asked: Asked) => Promise<void>) =>
    (asked: Asked): Promise<void> =>
      running.add(async () => {
        await removal.settled(asked.channel.space);
        await work(asked);
      });
  return {
    ...dispatcher,
    dispatch: afterRemoval(dispatcher.dispatch),
    press: afterRemoval(dispatcher.press),
    feedListener: {
      ...autoTranslate.listener,
      accessChanged: async (space) => {
        rooms.accessChanged(space);
        await autoTranslate.listener.accessChanged(space);
      },
      spaceJoined: removal.joined,
      spaceLeft: removal.left,
    },
    rooms: rooms.watcher,
    settled: async () => running.settled(),
  } satisfies Partial<Core> & { settled: () => Promise<void> };
};

/** Creates the part of the core that translates lines of chat, and recognises recordings while they are made. */
export const createLines = (
  deps: DictationDeps & { readonly services: MeteredServices },
): Pick<Core, 'translateLine' | 'openDictation'> => ({
  translateLine: ({ text, ...line }, targets, signal) => {
    const { space } = line.ref.channel;
    const metered = { lane: 'interactive', space, memberId: line.author.id, text, line } as const;
    return translateMeteredLine(deps.services, metered, targets, signal);
  },
  openDictation: createDictationOpener(deps),
});

export interface SharingDeps extends Omit<DeliveryWorkerDeps, 'storeOf' | 'slots'> {
  readonly store: Store;
  /** The keys that the tokens of installed apps are encrypted with. */
  readonly encryption: CoreConfig['ENCRYPTION_KEY'];
  readonly leases: Leases;
  readonly slots: SlotOwner;
}

/** Creates the part of the core that adapters store by, and share work with other processes. */
export const createSharing = ({
  store,
  encryption,
  leases,
  ...deps
}: SharingDeps): Pick<
  Core,
  'installations' | 'openDeliveries' | 'keepOpenAnswers' | 'processes'
> => {
  const cipher = cipherOf(encryption);
  const isAlone = store.engine === 'sqlite';
  return {
    ...(cipher ? { installations: createInstallationStore(store, cipher) } : {}),
    openDeliveries: createDeliveryWorker({
      storeOf: (platform) => createDeliveryStore(store, platform, Date.now),
      ...deps,
    }),
    keepOpenAnswers: createOpenAnswers({
      stored: createOpenAnswerStore(store, Date.now),
      leases,
      isAlone,
      ...deps,
    }),
    processes: {
      isAlone,
      leases,
      quota: store.quota,
      agreements: createAgreements(store),
    },
  };
};
