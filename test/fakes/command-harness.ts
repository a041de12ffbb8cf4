import { createDispatcher } from '../../src/command/dispatcher.ts';
import type { Services } from '../../src/command/services.ts';
import type { MessageKey } from '../../src/errors.ts';
import { formOfPress, type CommandInfo } from '../../src/model/command-info.ts';
import {
  writerOf,
  type Content,
  type Control,
  type Message,
  type MessageFile,
} from '../../src/model/message.ts';
import { shownControl, type ShownControl } from '../../src/model/shown-control.ts';
import type { Channel, Member } from '../../src/model/place.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createScript, type Script } from './command-script.ts';
import { fakePlatform, readOn, shownOf, type Shown } from './platform.ts';
import { realCommands } from './real-commands.ts';
import { rich } from './rich-text.ts';
import { createFakeRooms, type FakeRooms } from './rooms.ts';
import { createScriptedServices } from './scripted-services.ts';
import { sentence } from './sentences.ts';
import { silentLog } from './silent-log.ts';
import { realTexts } from './texts.ts';

export const SPACE = { platform: 'test', id: 'space' };
export const HERE: Channel = { space: SPACE, id: '100' };
/** On a platform whose people cannot speak with each other. */
export const MUTE = { platform: 'mute', id: 'space' };

const MODERATOR: Member = {
  platform: 'test',
  id: 'ada',
  name: 'Ada',
  locale: 'en',
  role: 'moderator',
};

interface Asking {
  readonly member?: Partial<Member>;
  readonly channel?: Channel;
  readonly isGuest?: boolean;
  readonly on?: Message;
}

/** Every command, over real settings and scripted services; the last answer can be pressed. */
export interface CommandHarness extends AsyncDisposable {
  readonly script: Script;
  readonly services: Services;
  readonly store: Store;
  readonly rooms: FakeRooms;
  readonly commands: readonly CommandInfo[];
  /** All that was shown, the last one last. */
  readonly shown: readonly Shown[];
  run(command: string, options?: Record<string, unknown>, asking?: Asking): Promise<Shown>;
  /** Presses or chooses what has the sentence of `key` as its label under the last answer. */
  press(key: MessageKey, values?: readonly string[], asking?: Asking): Promise<Shown>;
  /** Presses a control by its `press`, as it stands under something that is no answer. */
  pressNamed(
    press: string,
    asking?: Asking,
    values?: readonly string[],
    shown?: readonly string[],
  ): Promise<Shown>;
  /** Presses what no message shows. */
  forge(press: string): Promise<Shown>;
  complete(command: string, option: string, typed: string): Promise<readonly string[]>;
}

/** The control that has the sentence of `key` as its label. */
export const labelled = (
  content: Pick<Content, 'controls'> | undefined,
  key: MessageKey,
): Control | undefined => content?.controls?.find(({ label }) => label === sentence(key));

export const messageOf = (written: string, files: readonly MessageFile[] = []): Message => ({
  ref: { channel: HERE, id: 'message' },
  position: '1',
  author: { id: 'bob', name: 'Bob', kind: 'person' },
  text: rich(written),
  files,
  stickers: [],
});

/** Any platform; that of `MUTE` has no rooms. */
const platformOf = (name: string, script: Script): Platform => {
  const voice = name === MUTE.platform ? [] : (['voice'] as const);
  const platform = fakePlatform(name, ['feed', 'mirrors', ...voice]);
  const isPrivate = async ({ id }: Channel) => !script.openChannels.includes(id);
  return {
    ...platform,
    ...(platform.feed && { feed: { ...platform.feed, isPrivate } }),
    access: async (_, { id }) => (id in script.access ? script.access[id] : 'write'),
    readsHistory: async () => script.readsHistory,
  };
};

/** @param encryption the operator's `ENCRYPTION_KEY` */
export const openCommandHarness = async (
  encryption: readonly Uint8Array[] = [Buffer.alloc(32, 7)],
): Promise<CommandHarness> => {
  const store = await openStore('sqlite::memory:');
  const script = createScript();
  const rooms = createFakeRooms();
  const services = createScriptedServices(script, { store, rooms, encryption });
  const dispatcher = createDispatcher({
    commands: realCommands,
    texts: realTexts,
    log: silentLog,
    platforms: {
      find: (name) => platformOf(name, script),
      get: (name) => platformOf(name, script),
    },
    optedOutOf: async (message) => {
      const author = writerOf(message);
      return (await services.privacy.optedOut(author)) ? [author] : [];
    },
    operators: new Set(['test:ada']),
    services,
  });
  const shown: Shown[] = [];

  const invocation = ({ member, channel = HERE, isGuest = false }: Asking) => ({
    id: 'invocation',
    member: { ...MODERATOR, ...member },
    channel,
    isGuest,
    signal: new AbortController().signal,
    answer: {
      show: async (content: Content) => void shown.push(shownOf(content)),
      showBelow: async (content: Content) => void shown.push(shownOf(content)),
      paceMs: 0,
    },
    readText: readOn(SPACE.platform),
  });

  const last = (before: number): Shown => {
    const content = shown.at(-1);
    if (!content || shown.length === before) throw new Error('nothing was shown');
    return content;
  };

  const doPress = async (
    press: string,
    values: readonly string[],
    asking: Asking,
    control?: ShownControl,
  ): Promise<Shown> => {
    const before = shown.length;
    await dispatcher.press({ ...invocation(asking), press, values, control });
    return last(before);
  };

  return {
    script,
    services,
    store,
    rooms,
    shown,
    commands: dispatcher.commands('en', 'test'),
    async run(command, options = {}, asking = {}) {
      const before = shown.length;
      const { on } = asking;
      await dispatcher.dispatch({
        ...invocation(asking),
        command,
        options,
        ...(on ? { on } : {}),
      });
      return last(before);
    },
    pressNamed: (press, asking = {}, values = [], had) =>
      doPress(press, values, asking, { chosen: had }),
    forge: (press) => doPress(press, [], {}),
    async press(key, values = [], asking = {}) {
      const control = labelled(shown.at(-1), key);
      if (!control) throw new Error(`there is nothing named ${key} to press`);
      // What is entered in a form is offered by no control.
      const isEntered = formOfPress(dispatcher.commands('en', 'test'), control.press);
      return doPress(control.press, values, asking, isEntered ? {} : shownControl(control));
    },
    complete: async (command, option, typed) => {
      const choices = await dispatcher.complete({
        command,
        option,
        typed,
        member: MODERATOR,
        space: SPACE,
      });
      return choices.map(({ value, label }) => `${value}|${label}`);
    },
    [Symbol.asyncDispose]: () => store.destroy(),
  };
};
