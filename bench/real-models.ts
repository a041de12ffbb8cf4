import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { compareWords, type WordErrors } from './hearing/words.ts';
import { fixed, median } from './measure.ts';
import lines from './real-models/lines.json' with { type: 'json' };
import {
  startServiceProcess,
  treeMb,
  type ServiceProcess,
  type Target,
} from './real-models/processes.ts';

/**
 * What installed models do, beside the programs that they come from:
 *
 *     node bench/real-models.ts MODELS SOUNDS [URL [PID]]
 *
 * MODELS is a folder as SERVICE_MODELS, SOUNDS one of recordings with a text of the same name beside each. URL is
 * the base of a server with the OpenAI API over the same models, such as http://127.0.0.1:8000/v1, PID its process.
 * Both are asked in turn. ONLY=hearing,speaking,answering,translating chooses; FROM and TO are the languages.
 */

const [models, soundsFolder, referenceUrl, referencePid] = process.argv.slice(2);
const only = process.env['ONLY']?.split(',');
const isChosen = (part: string): boolean => only?.includes(part) ?? true;
const FROM = process.env['FROM'] ?? 'en';
const TO = process.env['TO'] ?? 'pt';
/** Calls at once. */
const AT_ONCE = [1, 4];
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);

interface Timed {
  readonly firstMs: number;
  readonly allMs: number;
  readonly text: string;
  readonly bytes: number;
}

const post = async (
  { url, key }: Pick<Target, 'url' | 'key'>,
  path: string,
  body: FormData | object,
): Promise<Timed> => {
  const startMs = performance.now();
  const isForm = body instanceof FormData;
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  let firstMs = 0;
  const parts: Uint8Array[] = [];
  for await (const part of reply.body ?? []) {
    if (firstMs === 0) firstMs = performance.now() - startMs;
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const text = bytes.toString();
  // No engine translates the pair, or the judge refuses what is no translation.
  if (!reply.ok && ![404, 502].includes(reply.status)) throw new Error(`${reply.status}: ${text}`);
  return { firstMs, allMs: performance.now() - startMs, text, bytes: bytes.length };
};

/** Runs all calls, so many at a time. */
const runAll = async <Call>(
  calls: readonly Call[],
  atOnce: number,
  run: (call: Call) => Promise<Timed>,
): Promise<{ readonly wallMs: number; readonly answers: readonly Timed[] }> => {
  const startMs = performance.now();
  const answers: Timed[] = [];
  const waiting = [...calls.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      answers[next[0]] = await run(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { wallMs: performance.now() - startMs, answers };
};

interface Part<Call, To extends Target> {
  readonly title: string;
  readonly calls: readonly Call[];
  readonly run: (target: To, call: Call) => Promise<Timed>;
  /** What the answers say of quality, as a cell. */
  readonly quality: (answers: readonly Timed[]) => string;
}

const memoryOf = ({ pid }: Target): number => (pid === undefined ? Number.NaN : treeMb(pid));

/** A row for each number of calls at once and each target, measured in turn. */
const compare = async <Call, To extends Target>(
  { title, calls, run, quality }: Part<Call, To>,
  targets: readonly To[],
): Promise<void> => {
  console.log(`\n### ${title}\n`);
  console.log(
    '| target | at once | first, ms | all, s | against the reference | memory, MB | quality |',
  );
  console.log(`|${'---|'.repeat(7)}`);
  for (const target of targets) await run(target, calls[0]!);
  for (const atOnce of AT_ONCE) {
    const walls = targets.map((): number[] => []);
    const last = targets.map((): readonly Timed[] => []);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [index, target] of targets.entries()) {
        const { wallMs, answers } = await runAll(calls, atOnce, (call) => run(target, call));
        walls[index]!.push(wallMs);
        last[index] = answers;
      }
    const common = walls.at(-1) ?? [];
    for (const [index, target] of targets.entries()) {
      const wall = walls[index] ?? [];
      const ratio = median(wall.map((ms, round) => ms / (common[round] ?? Number.NaN)));
      const answers = last[index] ?? [];
      const cells = [
        target.title,
        atOnce,
        fixed(median(answers.map(({ firstMs }) => firstMs)), 0),
        fixed(median(wall) / 1_000),
        targets.length > 1 ? `${fixed(ratio)} ×` : '',
        fixed(memoryOf(target), 0),
        quality(answers),
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
};

const readSounds = async (folder: string) => {
  const files = (await readdir(folder)).toSorted();
  const chosen = process.env['SOUNDS']?.split(',');
  return Promise.all(
    files
      .filter((file) => extname(file) === '.txt')
      .map((text) => text.slice(0, -'.txt'.length))
      .filter((name) => chosen?.includes(name) ?? true)
      .map(async (name) => {
        const file = files.find((one) => !one.endsWith('.txt') && one.startsWith(`${name}.`)) ?? '';
        const said = await readFile(join(folder, `${name}.txt`), 'utf8');
        return { name, bytes: await readFile(join(folder, file)), said };
      }),
  );
};

const errorShare = (all: readonly WordErrors[]): string => {
  const sum = (of: (one: WordErrors) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  const wrong = sum((one) => one.wrong + one.deleted + one.invented);
  return `${fixed((100 * wrong) / sum((one) => one.words), 1)} % of words wrong`;
};

const hearing = async (targets: readonly Target[], folder: string): Promise<void> => {
  const sounds = await readSounds(folder);
  await compare(
    {
      title: `Hearing: ${sounds.length} recordings`,
      calls: sounds,
      run: async (target, { name, bytes }) => {
        const form = new FormData();
        form.set('file', new Blob([bytes]), name);
        form.set('model', 'whisper');
        return post(target, '/audio/transcriptions', form);
      },
      quality: (answers) =>
        errorShare(
          answers.map(({ text }, index) =>
            compareWords(sounds[index]!.said, (JSON.parse(text) as { text: string }).text),
          ),
        ),
    },
    targets,
  );
};

const speaking = (
  targets: readonly Target[],
  title: string,
  calls: readonly string[],
): Promise<void> =>
  compare(
    {
      title,
      calls,
      run: async (target, input) =>
        post(target, '/audio/speech', {
          model: 'tts',
          voice: process.env['VOICE'] ?? 'alloy',
          input,
          response_format: 'pcm',
        }),
      quality: (answers) => {
        const bytes = answers.reduce((sum, one) => sum + one.bytes, 0);
        return `${fixed(bytes / 48_000, 1)} s of speech at 24 kHz`;
      },
    },
    targets,
  );

/** Remains of chat templates, which no reply may have. */
const TEMPLATE = /<\|[^|]*\|>|<(?:start|end)_of_turn>|\[\/?INST\]|<\/?s>/;

const answering = (targets: readonly Target[]): Promise<void> =>
  compare(
    {
      title: `Answering: ${lines.asked.length} questions`,
      calls: lines.asked,
      run: async (target, content) =>
        post(target, '/chat/completions', {
          model: 'default',
          messages: [{ role: 'user', content }],
          max_tokens: 64,
          temperature: 0,
        }),
      quality: (answers) => {
        const texts = answers.map(
          ({ text }) =>
            (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]
              ?.message.content ?? '',
        );
        if (process.env['TEXTS']) console.log(texts);
        const empty = texts.filter((text) => text.trim() === '').length;
        return `${texts.filter((text) => TEMPLATE.test(text)).length} with a template, ${empty} empty`;
      },
    },
    targets,
  );

interface TranslationReply {
  readonly error?: string;
  readonly translatedText?: string;
}

const translating = (targets: readonly ServiceProcess[]): Promise<void> =>
  compare(
    {
      title: `Translating: ${lines.translated.length} sentences from ${FROM} to ${TO}`,
      calls: lines.translated,
      run: async ({ key, origin }: ServiceProcess, q) =>
        post({ url: origin, key }, '/translate', { q, source: FROM, target: TO }),
      quality: (answers) => {
        const replies = answers.map(({ text }) => JSON.parse(text) as TranslationReply);
        if (process.env['TEXTS']) console.log(replies);
        const given = replies.flatMap(({ translatedText }) => translatedText ?? []);
        const remains = given.filter((text) => TEMPLATE.test(text)).length;
        return `${given.length} given, ${replies.length - given.length} refused, ${remains} with a template`;
      },
    },
    targets,
  );

if (models === undefined || soundsFolder === undefined)
  console.log('Say a folder of models, and one of sounds with texts.');
else {
  await using parts = new AsyncDisposableStack();
  const ours = parts.use(await startServiceProcess('the service', { SERVICE_MODELS: models }));
  const reference: readonly Target[] =
    referenceUrl === undefined
      ? []
      : [
          {
            title: 'the reference',
            url: referenceUrl,
            pid: referencePid === undefined ? undefined : Number(referencePid),
          },
        ];
  console.log(`${availableParallelism()} cores. Memory at rest: ${fixed(memoryOf(ours), 0)} MB.`);
  const both = [ours, ...reference];
  if (isChosen('hearing')) await hearing(both, soundsFolder);
  if (isChosen('speaking')) {
    const { said } = lines;
    await speaking(both, `Speaking: ${said.length} sentences`, said);
    await speaking(both, `Speaking: a text of ${said.length} sentences`, [said.join(' ')]);
  }
  const behind =
    referenceUrl === undefined || !(isChosen('answering') || isChosen('translating'))
      ? []
      : [
          parts.use(
            await startServiceProcess('the service before the reference', {
              SERVICE_MODELS: join(models, 'none'),
              SERVICE_OPENAI_URL: referenceUrl,
            }),
          ),
        ];
  if (isChosen('answering')) await answering([ours, ...behind, ...reference]);
  if (isChosen('translating')) await translating([ours, ...behind]);
}
