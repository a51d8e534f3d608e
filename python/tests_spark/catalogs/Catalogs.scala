package org.apache.spark.sql.incrowd

import java.util
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Rows on their way from a task. */
class Rows(val rows: Array[InternalRow]) extends WriterCommitMessage with InputPartition

class CollectingWriter extends DataWriter[InternalRow] {
  private val rows = ArrayBuffer[InternalRow]()
  override def write(row: InternalRow): Unit = rows += row.copy()
  override def commit(): WriterCommitMessage = new Rows(rows.toArray)
  override def abort(): Unit = rows.clear()
  override def close(): Unit = ()
}

class CollectingFactory extends DataWriterFactory {
  override def createWriter(partition: Int, task: Long): DataWriter[InternalRow] = new CollectingWriter
}

class RowsReaderFactory extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new PartitionReader[InternalRow] {
      private val rows = partition.asInstanceOf[Rows].rows
      private var at = -1
      override def next(): Boolean = { at += 1; at < rows.length }
      override def get(): InternalRow = rows(at)
      override def close(): Unit = ()
    }
}

/** A table whose rows are in the memory of the driver. */
class MemoryTable(
    val label: String,
    override val columns: Array[Column],
    override val partitioning: Array[Transform],
    override val properties: util.Map[String, String])
    extends Table with SupportsRead with SupportsWrite {
  @volatile var rows: Vector[Rows] = Vector.empty

  override def name(): String = label
  override def schema(): StructType = CatalogV2Util.v2ColumnsToStructType(columns)
  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new ScanBuilder with SupportsPushDownRequiredColumns {
    override def pruneColumns(required: StructType): Unit = ()
    override def build(): Scan = new Scan with Batch {
      private val parts = rows
      override def readSchema(): StructType = schema()
      override def toBatch: Batch = this
      override def planInputPartitions(): Array[InputPartition] = parts.toArray
      override def createReaderFactory(): PartitionReaderFactory = new RowsReaderFactory
    }
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder with SupportsTruncate {
    private var fresh = false
    override def truncate(): WriteBuilder = { fresh = true; this }
    override def build(): Write = new Write {
      override def toBatch: BatchWrite = new BatchWrite {
        override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory = new CollectingFactory
        override def commit(messages: Array[WriterCommitMessage]): Unit =
          rows = (if (fresh) Vector.empty else rows) ++ messages.collect { case part: Rows => part }
        override def abort(messages: Array[WriterCommitMessage]): Unit = ()
      }
    }
  }
}

/** A catalog that renames tables and cannot replace one at a stroke. */
class PlainCatalog extends TableCatalog {
  protected val tables = new ConcurrentHashMap[Identifier, MemoryTable]()
  private var catalogName: String = _

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = catalogName = name
  override def name(): String = catalogName
  override def listTables(namespace: Array[String]): Array[Identifier] =
    tables.keySet.asScala.filter(_.namespace.sameElements(namespace)).toArray
  override def loadTable(ident: Identifier): Table =
    Option(tables.get(ident)).getOrElse(throw new NoSuchTableException(ident))

  protected def made(ident: Identifier, columns: Array[Column], cut: Array[Transform], properties: util.Map[String, String]) =
    new MemoryTable(s"$catalogName.$ident", columns, cut, new ConcurrentHashMap(properties))

  override def createTable(
      ident: Identifier, columns: Array[Column], cut: Array[Transform], properties: util.Map[String, String]): Table = {
    val table = made(ident, columns, cut, properties)
    if (tables.putIfAbsent(ident, table) != null) throw new TableAlreadyExistsException(ident)
    table
  }

  override def alterTable(ident: Identifier, changes: TableChange*): Table = {
    val table = loadTable(ident).asInstanceOf[MemoryTable]
    changes.foreach {
      case set: TableChange.SetProperty => table.properties.put(set.property, set.value)
      case gone: TableChange.RemoveProperty => table.properties.remove(gone.property)
      case other => throw new UnsupportedOperationException(other.toString)
    }
    table
  }

  override def dropTable(ident: Identifier): Boolean = tables.remove(ident) != null

  override def renameTable(ident: Identifier, to: Identifier): Unit = synchronized {
    if (tables.containsKey(to)) throw new TableAlreadyExistsException(to)
    tables.put(to, Option(tables.remove(ident)).getOrElse(throw new NoSuchTableException(ident)))
  }
}

/** A catalog that replaces a table when all rows are there, as those of Delta and Iceberg do; it renames nothing. */
class StagedCatalog extends PlainCatalog with StagingTableCatalog {
  override def renameTable(ident: Identifier, to: Identifier): Unit =
    throw new UnsupportedOperationException("this catalog renames nothing")

  private class Staged(ident: Identifier, table: MemoryTable, replaces: Option[Boolean])
      extends StagedTable with SupportsRead with SupportsWrite {
    override def name(): String = table.name
    override def schema(): StructType = table.schema
    override def columns(): Array[Column] = table.columns
    override def partitioning(): Array[Transform] = table.partitioning
    override def properties(): util.Map[String, String] = table.properties
    override def capabilities(): util.Set[TableCapability] = table.capabilities
    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = table.newScanBuilder(options)
    override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = table.newWriteBuilder(info)
    override def abortStagedChanges(): Unit = ()
    override def commitStagedChanges(): Unit = {
      if (System.getProperty("incrowd.test.fail") != null) throw new RuntimeException("the catalog is on fire")
      if (System.getProperty("incrowd.test.lose") != null) table.rows = table.rows.drop(1)
      replaces match {
        case Some(false) if tables.putIfAbsent(ident, table) != null => throw new TableAlreadyExistsException(ident)
        case Some(true) if tables.replace(ident, table) == null => throw new NoSuchTableException(ident)
        case None => tables.put(ident, table)
        case _ => ()
      }
    }
  }

  override def stageCreate(
      ident: Identifier, columns: Array[Column], cut: Array[Transform], properties: util.Map[String, String]): StagedTable =
    new Staged(ident, made(ident, columns, cut, properties), Some(false))

  override def stageReplace(
      ident: Identifier, columns: Array[Column], cut: Array[Transform], properties: util.Map[String, String]): StagedTable =
    new Staged(ident, made(ident, columns, cut, properties), Some(true))

  override def stageCreateOrReplace(
      ident: Identifier, columns: Array[Column], cut: Array[Transform], properties: util.Map[String, String]): StagedTable =
    new Staged(ident, made(ident, columns, cut, properties), None)
}
