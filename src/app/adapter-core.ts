import type { Core } from '../adapter.ts';
import type { Clock } from '../async/clock.ts';
import { createRunning } from '../async/running.ts';
import type { AutoTranslate } from '../autotranslate/index.ts';
import type { Dispatcher } from '../command/dispatcher.ts';
import type { Services } from '../command/services.ts';
import type { CoreConfig } from './core-config.ts';
import { createDeliveryWorker } from '../cluster/delivery-worker.ts';
import type { Space } from '../model/place.ts';
import type { Leases } from '../ports/processes.ts';
import type { RecogniserFactory } from '../ports/recogniser.ts';
import type { RoomWatcher } from '../ports/voice.ts';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import type { SpaceRemoval } from './privacy.ts';
import { createAgreements } from '../store/agreements.ts';
import { createDeliveryStore } from '../store/deliveries.ts';
import { cipherOf } from '../store/secrets/encryption.ts';
import type { Store } from '../store/index.ts';
import { createInstallationStore } from '../store/secrets/installations.ts';
import { translateMeteredLine } from '../usage/meter.ts';
import { createDictationOpener } from '../voice/dictation.ts';

export interface AdapterCoreDeps extends Pick<
  Core,
  'log' | 'texts' | 'receives' | 'ready' | 'metrics' | 'ops'
> {
  readonly services: Services;
  readonly dispatcher: Dispatcher;
  readonly autoTranslate: Pick<AutoTranslate, 'listener'>;
  readonly rooms: {
    readonly watcher: RoomWatcher;
    readonly accessChanged: (space: Space) => void;
  };
  readonly removal: SpaceRemoval;
  readonly store: Store;
  /** The keys that the tokens of installed apps are encrypted with. */
  readonly encryption: CoreConfig['ENCRYPTION_KEY'];
  readonly leases: Leases;
  readonly slots: SlotOwner;
  readonly createRecogniser: RecogniserFactory;
  /** True where words of a recording on the page are shown before it ends. */
  readonly hasPartials: boolean;
  readonly clock: Clock;
}

/** Creates the core as adapters see it; `settled` resolves when no command and no press is under way. */
export const createAdapterCore = ({
  log,
  texts,
  receives,
  ready,
  metrics,
  ops,
  services,
  dispatcher,
  autoTranslate,
  rooms,
  removal,
  store,
  encryption,
  leases,
  slots,
  createRecogniser,
  hasPartials,
  clock,
}: AdapterCoreDeps): { readonly core: Core; readonly settled: () => Promise<void> } => {
  const cipher = cipherOf(encryption);
  const running = createRunning();
  const core: Core = {
    log,
    texts,
    services,
    ...dispatcher,
    receives,
    dispatch: (invocation) =>
      running.add(async () => {
        await removal.settled(invocation.channel.space);
        await dispatcher.dispatch(invocation);
      }),
    press: (invocation) =>
      running.add(async () => {
        await removal.settled(invocation.channel.space);
        await dispatcher.press(invocation);
      }),
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
    ...(cipher ? { installations: createInstallationStore(store, cipher) } : {}),
    translateLine: ({ text, ...line }, targets, signal) => {
      const { space } = line.ref.channel;
      const metered = { lane: 'interactive', space, memberId: line.author.id, text, line } as const;
      return translateMeteredLine(services, metered, targets, signal);
    },
    openDictation: createDictationOpener({
      services,
      createRecogniser,
      partials: hasPartials,
      clock,
      log,
    }),
    openDeliveries: createDeliveryWorker({
      storeOf: (platform) => createDeliveryStore(store, platform, Date.now),
      slots,
      log,
      clock,
    }),
    processes: {
      isAlone: store.engine === 'sqlite',
      leases,
      quota: store.quota,
      agreements: createAgreements(store),
    },
    ready,
    metrics,
    ops,
  };
  return { core, settled: async () => running.settled() };
};
