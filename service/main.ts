import { z } from 'zod';
import { parseConfig, readEnvFile } from '../src/config.ts';
import { AppError } from '../src/errors.ts';
import { createLog, logLevel } from '../src/telemetry/log.ts';
import { opsSection } from '../src/ops/pages.ts';
import { runProgram } from '../src/process/program.ts';
import { tracingSection, openTracing } from '../src/telemetry/open-telemetry.ts';
import { engineSection, serverSection } from './config.ts';
import { runKeyCommand } from './keys/commands.ts';
import { runModelCommand } from './models/commands.ts';

runProgram(process.env, async (stopped, say) => {
  const config = parseConfig(
    { ...readEnvFile('.env'), ...process.env },
    {
      server: serverSection,
      engines: engineSection,
      log: z.object({ LOG_LEVEL: logLevel }),
      tracing: tracingSection,
      ops: opsSection,
    },
  );
  const words = process.argv.slice(2);
  if (await runModelCommand(words, config.engines, stopped, say)) return;
  const { server } = config;
  if (await runKeyCommand(words, server.SERVICE_DATABASE, say)) return;
  if (words.length > 0)
    throw new AppError(
      'bad-input',
      `"${words[0]}" is no command. Say keys, models or setup, or nothing to start the service`,
    );
  const log = createLog(config.log.LOG_LEVEL);
  await using tracing = await openTracing(config.tracing, log);
  // Commands about keys and models load no engine.
  const { serve } = await import('./serve.ts');
  await serve({ server, engines: config.engines, log, tracing, ops: config.ops }, stopped);
});
