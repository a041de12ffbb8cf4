import { z } from 'zod';
import { parseConfig, readEnvFile } from '../src/config.ts';
import { createLog, logLevel } from '../src/log.ts';
import { runProgram } from '../src/program.ts';
import { engineSection, serverSection } from './config.ts';
import { startService } from './index.ts';
import { makeKey } from './keys.ts';
import { runModelCommand } from './models/cli.ts';
import { engineTable } from './engine-report.ts';

runProgram(async (stopped) => {
  const config = parseConfig(
    { ...readEnvFile('.env'), ...process.env },
    {
      server: serverSection,
      engines: engineSection,
      log: z.object({ LOG_LEVEL: logLevel }),
    },
  );
  if (await runModelCommand(process.argv.slice(2), config.engines, stopped)) return;
  const given = config.server.SERVICE_KEYS ?? [];
  const keys = given.length > 0 ? given : [makeKey()];
  const service = await startService({
    host: config.server.SERVICE_HOST,
    port: config.server.SERVICE_PORT,
    keys,
    engines: config.engines,
    log: createLog(config.log.LOG_LEVEL),
    browserOrigins: config.server.SERVICE_BROWSER_ORIGINS ?? [],
  });
  console.log(`Speech, translation and chat at ${service.url}`);
  if (given.length === 0)
    console.log(`Key for this run: ${keys[0]}  (set SERVICE_KEYS to keep your own)`);
  console.log(engineTable(await service.engines()));
  await stopped;
  await service.close();
});
