import type { ServiceClient } from '../api/client.ts';
import type { Log } from '../log.ts';
import type { Channel } from '../model.ts';
import type { Services } from '../services.ts';
import type { Clock } from './clock.ts';
import { createBatchRecogniser } from './hear/batch-recogniser.ts';
import { createEar, type Ear, type EarHints } from './hear/ear.ts';
import type { Recogniser } from './hear/recogniser.ts';
import type { HearingListener } from './heard.ts';
import type { RoomMember } from './port.ts';
import type { Manner } from './purpose.ts';

export interface HearingParts {
  readonly client: Pick<ServiceClient, 'transcribe'>;
  readonly services: Pick<Services, 'glossary' | 'settings'>;
  readonly clock: Clock;
  readonly channel: () => Channel;
  readonly people: () => readonly RoomMember[];
  /** What the room's readers read. */
  readonly languages: () => readonly string[];
  readonly log: Log;
}

const MOST_HOTWORDS = 100;
/** In a larger room people's languages tell nothing, and to ask for each at each utterance costs. */
const MOST_ASKED = 50;

/** For what only voices matter: nothing is sent to anybody. */
const writesNothing: Recogniser = {
  growEveryMs: 0,
  begin: () => ({
    grow: () => undefined,
    end: async () => ({ text: '', language: '', confidence: 0 }),
  }),
};

/** Opens an ear that knows the room: its glossary, its people and what they speak. */
export const openEar = (
  { client, services, clock, channel, people, languages, log }: HearingParts,
  { purpose, partials }: Pick<Manner, 'purpose' | 'partials'>,
  listener: HearingListener,
): Ear => {
  const hints = async (): Promise<EarHints> => {
    const here = people().filter(({ isBot }) => !isBot);
    const { platform } = channel().space;
    const asked = here.length > MOST_ASKED ? [] : here;
    const [terms, ...settings] = await Promise.all([
      services.glossary.applying(channel()),
      ...asked.map(({ id }) => services.settings.of({ platform, id })),
    ]);
    const names = here.map(({ name }) => name);
    const hotwords = new Set([...terms.map(({ term }) => term), ...names]);
    const own = settings.flatMap(({ language }) => language ?? []);
    return {
      hotwords: [...hotwords].slice(0, MOST_HOTWORDS),
      languages: asked.length < here.length ? [] : [...new Set([...languages(), ...own])],
    };
  };
  return createEar({
    recogniser:
      purpose === 'voices'
        ? writesNothing
        : createBatchRecogniser({ client }, partials ? {} : { partialEveryMs: 0 }),
    clock,
    listener,
    hints,
    log,
  });
};
