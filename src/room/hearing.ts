import type { ServiceClient } from '../api/client.ts';
import type { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Channel } from '../model.ts';
import type { Services } from '../services.ts';
import type { Clock } from './clock.ts';
import { createConsent, type Consent, type ConsentChoice, type ConsentRule } from './consent.ts';
import { createBatchRecogniser } from './hear/batch-recogniser.ts';
import { createEar, type EarHints } from './hear/ear.ts';
import type { HearingListener } from './heard.ts';
import type { RoomMember, VoiceLink, VoicePacket } from './port.ts';

export interface HearingParts extends HearingListener {
  readonly client: Pick<ServiceClient, 'transcribe'>;
  readonly services: Pick<Services, 'glossary' | 'settings'>;
  readonly clock: Clock;
  readonly link: Pick<VoiceLink, 'hear'>;
  readonly channel: () => Channel;
  readonly people: () => readonly RoomMember[];
  readonly rule: ConsentRule;
  readonly partials: boolean;
  /** What the room's readers read. */
  readonly languages: () => readonly string[];
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
  readonly tell: (members: readonly RoomMember[]) => Promise<void>;
  readonly untold: (error: AppError | undefined) => void;
  readonly log: Log;
}

/** Hears those who may be heard, from its beginning to its end. */
export interface Hearing extends AsyncDisposable, Pick<Consent, 'told' | 'isHeard'> {
  packet(packet: VoicePacket): void;
  peopleChanged(): void;
  chosen(memberId: string, choice: Exclude<ConsentChoice, undefined>): void;
  /** Resolves when everything that was said until now was told. */
  settled(): Promise<void>;
}

const MOST_HOTWORDS = 100;

export const createHearing = (parts: HearingParts): Hearing => {
  const { clock, channel, people, services, link, log } = parts;
  const partialEveryMs = parts.partials ? {} : { partialEveryMs: 0 };

  const hints = async (): Promise<EarHints> => {
    const here = people().filter(({ isBot }) => !isBot);
    const { platform } = channel().space;
    const [terms, ...settings] = await Promise.all([
      services.glossary.applying(channel()),
      ...here.map(({ id }) => services.settings.of({ platform, id })),
    ]);
    const names = here.map(({ name }) => name);
    const hotwords = new Set([...terms.map(({ term }) => term), ...names]);
    const own = settings.flatMap(({ language }) => language ?? []);
    return {
      hotwords: [...hotwords].slice(0, MOST_HOTWORDS),
      languages: [...new Set([...parts.languages(), ...own])],
    };
  };
  const ear = createEar({
    recogniser: createBatchRecogniser({ client: parts.client }, partialEveryMs),
    clock,
    listener: { began: parts.began, heard: parts.heard, trouble: parts.trouble },
    hints,
    log,
  });
  const consent = createConsent({
    rule: parts.rule,
    clock,
    choiceOf: parts.choiceOf,
    tell: parts.tell,
    hear: (memberIds) => link.hear(memberIds),
    untold: parts.untold,
  });
  consent.present(people());

  return {
    packet: ear.packet,
    peopleChanged: () => consent.present(people()),
    chosen: (memberId, choice) => {
      consent.chosen(memberId, choice);
      if (choice === 'unheard') ear.forget(memberId);
    },
    told: consent.told,
    isHeard: consent.isHeard,
    settled: () => ear.settled(),
    [Symbol.asyncDispose]: async () => {
      consent[Symbol.dispose]();
      await ear[Symbol.asyncDispose]();
    },
  };
};
