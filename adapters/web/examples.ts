import type { Core } from '../../src/adapter.ts';
import { formatLine } from '../../src/command/command-line.ts';
import type { ServiceStatus } from '../../src/model/service.ts';
import { SPACE } from './platform.ts';
import { PLATFORM } from './profiles.ts';
import type { Example, ExamplesReply } from './protocol.ts';

interface Sample {
  readonly text: string;
  readonly language: string;
}

const ENGLISH = 'en';

const NO_SERVICE: ServiceStatus = { builtIn: false, reachable: false, engines: [] };

const orNone = (found: Promise<Example[]>): Promise<Example[]> => found.catch(() => []);

export interface ExamplesDeps {
  readonly core: Core;
  /** The service's status, shared with others who ask. */
  readonly status: () => Promise<ServiceStatus>;
}

/**
 * Finds examples of commands that work with the engines that are ready at the moment, in the words of
 * `locale`. A service that cannot be asked gives those that need none.
 */
export const findExamples = async (
  { core, status }: ExamplesDeps,
  locale: string,
  signal: AbortSignal,
): Promise<ExamplesReply> => {
  const { services } = core;
  const { languages, speaker } = services;
  const commands = core.commands(locale, PLATFORM);
  const say = core.texts.in(locale);
  const { builtIn, reachable, engines } = await status().catch(() => NO_SERVICE);

  const isReady = (ability: (typeof engines)[number]['serves'][number]): boolean =>
    reachable && engines.some(({ ready, serves }) => ready && serves.includes(ability));

  const example = (name: string, values: Readonly<Record<string, string>>): Example[] => {
    const command = commands.find((each) => each.name === name);
    return command ? [{ command: name, line: formatLine(command, values) }] : [];
  };

  /** Names the language, unless the text itself shows it. */
  const languageOption = (option: string, { text, language }: Sample): Record<string, string> =>
    languages.detect(text)?.language === language ? {} : { [option]: language };

  const own = core.texts.pick([locale]);
  const samples: readonly Sample[] = [...new Set([own, ENGLISH])].map((each) => ({
    text: core.texts.in(each)('web.example.text'),
    language: languages.find(each) ?? ENGLISH,
  }));

  const pairs = (targets: readonly string[]) =>
    samples.flatMap((sample) => targets.map((to) => ({ sample, to })));

  const translation = async (): Promise<Example[]> => {
    if (!isReady('translation')) return [];
    const targets = core.texts.locales.flatMap((each) => languages.find(each) ?? []);
    for (const { sample, to } of pairs(targets)) {
      if (to === sample.language) continue;
      // A service elsewhere does not say; it is meant to have them all.
      if ((await services.translates(to, sample.language)) === false) continue;
      return example('translate', { text: sample.text, to, ...languageOption('from', sample) });
    }
    return [];
  };

  const speech = async (): Promise<Example[]> => {
    if (!isReady('speech')) return [];
    for (const sample of samples) {
      const voices = await speaker.voices({ language: sample.language }, SPACE, signal);
      if (voices.length > 0)
        return example('say', { text: sample.text, ...languageOption('language', sample) });
    }
    return [];
  };

  return {
    examples: [
      ...(await orNone(translation())),
      ...(await orNone(speech())),
      ...(isReady('chat') ? example('ask', { question: say('web.example.question') }) : []),
      ...example('help', {}),
    ],
    ...(builtIn && reachable && !isReady('translation')
      ? { hint: say('remedies.no-translation') }
      : {}),
    transcribes: isReady('recognition') && example('transcribe', {}).length > 0,
  };
};
