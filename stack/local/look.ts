import type { Finding } from '../choose.ts';
import type { Environment } from '../stack.ts';
import { isHere, kafkaArtifact, registryArtifact } from './artifacts.ts';
import { findJava, findOnPath } from './java.ts';

/** Java runs the servers; Maven fetches them, so it is needed only until they are here. */
export const lookForLocal = async (environment: Environment): Promise<Finding> => {
  const java = await findJava(environment);
  if (java === undefined) {
    return { works: false, because: 'no Java 17 or newer at JAVA_HOME, on the PATH or below /usr/lib/jvm' };
  }
  const areHere = (await isHere(kafkaArtifact())) && (await isHere(registryArtifact(java.major)));
  if (areHere) return { works: true, because: `Java ${java.major} and the servers are here` };
  if ((await findOnPath('mvn', environment)) === undefined) {
    return { works: false, because: `Java ${java.major} is here but no Maven (mvn on the PATH) to fetch the servers` };
  }
  return { works: true, because: `Java ${java.major} and Maven are here` };
};
