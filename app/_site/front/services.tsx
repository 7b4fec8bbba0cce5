import type { ReactNode } from 'react';
import { freeOperations } from '@/lib/catalog';
import { type Category, categories } from '@/lib/catalog/categories';
import { forAgents, referencePath } from '@/lib/discovery/contents';
import type { SiteConfig } from '@/lib/discovery/site-config';

/** Every paid call by group, with its price. */
export function Services({ site }: { site: SiteConfig }): ReactNode {
  const { operations } = forAgents(site);
  const groups = (Object.keys(categories) as Category[])
    .map((category) => ({ category, offered: operations.filter((one) => one.category === category) }))
    .filter(({ offered }) => offered.length > 0);
  return (
    <section className="band" aria-labelledby="prices">
      <h2 id="prices">Services and prices</h2>
      <p>In US dollars per call. A request with invalid input costs nothing.</p>
      <div className="groups">
        {groups.map(({ category, offered }) => (
          <section className="group" aria-labelledby={`group-${category}`} key={category}>
            <h3 id={`group-${category}`}>{categories[category].title}</h3>
            <ul>
              {offered.map((operation) => (
                <li key={operation.id}>
                  <a href={referencePath(operation)}>{operation.title}</a>
                  <span className="price">${operation.price}</span>
                  <p>{firstSentence(operation.summary)}</p>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <FreeCalls />
      </div>
    </section>
  );
}

/** Free calls for everybody. Those for accounts and lists are in the reference. */
function FreeCalls(): ReactNode {
  const free = freeOperations.filter(({ category }) => category === 'service');
  return (
    <section className="group" aria-labelledby="group-free">
      <h3 id="group-free">Free</h3>
      <ul>
        {free.map((operation) => (
          <li key={operation.id}>
            <a href={referencePath(operation)}>{operation.title}</a>
            <span className="price">free</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) (?=[A-Z])/)[0] ?? text;
}
