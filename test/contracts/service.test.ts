import { afterAll, beforeAll, describe } from 'vitest';
import { testBroken, testContract } from './contract.ts';
import { SERVICE_ROWS, SERVICE_RULES } from './service.ts';
import { openBuiltIn } from './service/built-in.ts';
import { openFake } from './service/fake.ts';
import type { SpeechFake } from '../fakes/speech.ts';
import type { ServiceSubject } from './service/target.ts';

const TARGETS = [
  { name: 'the built-in service', open: openBuiltIn },
  { name: 'the fake of the service', open: openFake },
] as const;

for (const { name, open } of TARGETS)
  describe(name, () => {
    let subject: ServiceSubject & AsyncDisposable;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(async () => subject[Symbol.asyncDispose]());

    testContract('rows', SERVICE_ROWS, () => subject);
    testContract('rules', SERVICE_RULES, () => subject);
  });

/** A fake that does something wrong. */
const broken = async (change: (fake: SpeechFake) => void): Promise<ServiceSubject> => {
  const subject = await openFake(change);
  afterAll(async () => subject[Symbol.asyncDispose]());
  return subject;
};

testBroken(SERVICE_ROWS, {
  'lists a voice with another gender': {
    port: await broken((fake) => {
      fake.voices = fake.voices.map((voice) => ({ ...voice, gender: 'female' }));
    }),
    fails: '2.1 voice, gender: Male, Female or Neutral',
  },
  'is surer than sure': {
    port: await broken((fake) => {
      fake.hears = [{ text: 'hello', language: 'en', confidence: 1.5 }];
    }),
    fails: '2.4 recognition, confidence: from 0 to 1',
  },
  'does not cut into segments': {
    port: await broken((fake) => {
      fake.segment = undefined;
    }),
    fails: '4.5 POST /asr/srt/audio_llm, min_silence_gap: ms, 400 by default',
  },
  'translates keywords': {
    port: await broken((fake) => {
      fake.translate = (text) => text.replace('Dragoman', 'intérprete');
    }),
    fails: '4.4 POST /translate/, keywords: repeated, and preserved',
  },
  'hides refusals behind its own': {
    port: await broken((fake) => {
      const fail = fake.fail.bind(fake);
      fake.fail = (path) => fail(path, { status: 500 });
    }),
    fails: '7.2 recognition, other: the back end’s own status and body',
  },
});
