// Saved queries for Neo4j Browser; `strata graph queries` prints them with values for their parameters.
// Each begins with its name, what it shows, and an example value for each parameter except kb.

// name: tree
// shows: one document as a tree: sections, chunks, tables, figures
// uri: manuals/manual.pdf
MATCH path = (d:Document {kb: $kb, uri: $uri})-[:HAS_SECTION|HAS_CHUNK|HAS_TABLE|HAS_FIGURE*1..8]->(n)
RETURN path;

// name: answer
// shows: the origin of an answer: the chunk with a quoted sentence, the knowledge distilled from it, and its document
// quote: a sentence that the answer quotes
MATCH (c:Chunk {kb: $kb}) WHERE c.text CONTAINS $quote
MATCH path = (:Document)-[:HAS_SECTION|HAS_CHUNK*1..8]->(c)
OPTIONAL MATCH atoms = (c)-[:HAS_ATOM|HAS_ROW]->(a) WHERE $quote CONTAINS a.text OR a.text CONTAINS $quote OR a:AtomicQuestion
OPTIONAL MATCH shown = (c)-[:HAS_TABLE|HAS_FIGURE|MENTIONS]->()
RETURN path, atoms, shown LIMIT 200;

// name: references
// shows: documents that refer to each other, replace each other, or have the same content; one edge of each kind
MATCH (d:Document {kb: $kb})-[r:REFERENCES|SUPERSEDES|SAME_CONTENT]->(other:Document)
WITH d, other, type(r) AS type, r.kind AS kind, head(collect(r)) AS refers
RETURN d, refers, other LIMIT 500;

// name: unresolved
// shows: references to documents that are not in the knowledge base
MATCH path = (:Document {kb: $kb})-[:REFERENCES]->(:Unresolved)
RETURN path LIMIT 300;

// name: tag
// shows: the chunks with a tag, and their documents
// tag: pump
MATCH (t:Tag {kb: $kb, name: $tag})<-[bears:HAS_TAG]-(c:Chunk)
MATCH path = (:Document)-[:HAS_SECTION|HAS_CHUNK*1..8]->(c)
RETURN t, bears, path LIMIT 200;

// name: entity
// shows: the neighbourhood of an entity: related entities, and the chunks that name it
// entity: K65-200
MATCH (e:Entity {kb: $kb, name: $entity})
OPTIONAL MATCH related = (e)-[:RELATED]-(:Entity)
OPTIONAL MATCH named = (:Chunk)-[:MENTIONS]->(e)
RETURN e, related, named LIMIT 200;

// name: page
// shows: the three layers of one page: the document, its chunks, and the knowledge distilled from them
// uri: manuals/manual.pdf
// page: 1
MATCH path = (d:Document {kb: $kb, uri: $uri})-[:HAS_SECTION|HAS_CHUNK*1..8]->(c:Chunk {page: $page})
OPTIONAL MATCH shown = (c)-[:HAS_TABLE|HAS_FIGURE]->()
OPTIONAL MATCH distilled = (c)-[:HAS_ATOM|HAS_TAG|MENTIONS|HAS_ROW]->()
RETURN path, shown, distilled LIMIT 300;

// name: between
// shows: the shortest path between two entities
// entity: K65-200
// other: STD-014
MATCH (a:Entity {kb: $kb, name: $entity}), (b:Entity {kb: $kb, name: $other})
MATCH path = shortestPath((a)-[:RELATED|MENTIONS*..6]-(b))
RETURN path;

// name: search
// shows: the results of a full-text search, best first, with their documents
// words: pump bearing
CALL db.index.fulltext.queryNodes("strata_text", $words) YIELD node, score
WITH node, score WHERE node.kb = $kb LIMIT 25
OPTIONAL MATCH path = (:Document)-[:HAS_SECTION|HAS_CHUNK*1..8]->(:Chunk)-[:HAS_ATOM|HAS_ROW*0..1]->(node)
RETURN node, path ORDER BY score DESC;
