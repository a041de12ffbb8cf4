import type { MessageKey } from '../../src/errors.ts';
import type { Attachment, Content } from '../../src/model/message.ts';
import type { Member } from '../../src/model/place.ts';
import type { Core } from '../../src/adapter.ts';
import { openServedCore } from './open-core.ts';
import { fakePlatform, shownOf, type Shown } from './platform.ts';
import { sentence } from './sentences.ts';
import { startSpeechFake, type SpeechFake } from './speech.ts';

/** The real core and commands over the fake service, asked as an adapter would ask. */
export interface CoreHarness extends AsyncDisposable {
  readonly core: Core;
  readonly speech: SpeechFake;
  /** Runs a command to its end; resolves with all it showed, the last one last. */
  run(
    command: string,
    options?: Record<string, unknown>,
    member?: Partial<Member>,
    signal?: AbortSignal,
  ): Promise<Shown[]>;
  /** Presses what has the sentence of `key` as its label under the last answer. */
  press(key: MessageKey, member?: Partial<Member>): Promise<Shown>;
  /** Presses a control by its `press`, whatever stands under the last answer. */
  pressNamed(press: string, member?: Partial<Member>, values?: readonly string[]): Promise<Shown>;
  /** What an answer takes from here on; at first the platform does not say. */
  limitFiles(bytes: number): void;
}

export const SPACE = { platform: 'test', id: 'space' };

const MEMBER: Member = {
  platform: 'test',
  id: 'ada',
  name: 'Ada',
  locale: 'en',
  role: 'moderator',
};

export const attachmentOf = (bytes: Uint8Array, name = 'file.bin'): Attachment => ({
  name,
  mediaType: 'application/octet-stream',
  sizeBytes: bytes.length,
  async *open() {
    yield bytes;
  },
});

export const startCoreHarness = async (): Promise<CoreHarness> => {
  const speech = await startSpeechFake();
  const running = await openServedCore(speech);
  const { core } = running;
  running.attach({ platform: fakePlatform(SPACE.platform), ready: () => true });
  let limit: { fileBytes?: number } = {};
  /** The answer that was shown last, whose controls can be pressed. */
  let newest: Shown | undefined;
  const invocation = (member: Partial<Member>, signal: AbortSignal, shown: Shown[]) => ({
    id: 'invocation',
    member: { ...MEMBER, ...member },
    channel: { space: SPACE, id: 'channel' },
    signal,
    answer: {
      show: async (content: Content) => void shown.push(shownOf(content)),
      paceMs: 0,
      ...limit,
    },
  });
  const pressNamed: CoreHarness['pressNamed'] = async (press, member = {}, values = []) => {
    const shown: Shown[] = [];
    const asked = invocation(member, new AbortController().signal, shown);
    await core.press({ ...asked, press, values, control: {} });
    const [shownLast] = shown.slice(-1);
    if (!shownLast) throw new Error('nothing was shown');
    return shownLast;
  };
  return {
    limitFiles: (fileBytes) => (limit = { fileBytes }),
    core,
    speech,
    async run(command, options = {}, member = {}, signal = new AbortController().signal) {
      const shown: Shown[] = [];
      await core.dispatch({ ...invocation(member, signal, shown), command, options });
      newest = shown.findLast(({ controls }) => controls) ?? newest;
      return shown;
    },
    press: (key, member) => {
      const control = newest?.controls?.find(({ label }) => label === sentence(key));
      return pressNamed(control?.press ?? '', member);
    },
    pressNamed,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await speech[Symbol.asyncDispose]();
    },
  };
};
